# What each choice changes.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project_id  = "my-project"
  region      = "us-central1"
  config_file = "tests/fixtures/one-cluster.yaml"
}

run "two_clusters_in_two_projects" {
  variables {
    config_file = "tests/fixtures/two-clusters.yaml"
    task_count  = 2
  }

  assert {
    condition     = keys(google_project_iam_custom_role.connect) == ["east-project", "west-project"]
    error_message = "the role is made in each cluster's project"
  }

  assert {
    condition = alltrue([
      for project, binding in google_project_iam_member.job_connects :
      binding.project == project && binding.role == google_project_iam_custom_role.connect[project].name && binding.member == google_service_account.job.member
    ]) && length(google_project_iam_member.job_connects) == 2
    error_message = "and given to the job there"
  }

  assert {
    condition     = google_cloud_run_v2_job.pass.template[0].task_count == 2 && google_cloud_run_v2_job.pass.template[0].parallelism == 2
    error_message = "the tasks share the clusters, all at once"
  }

  assert {
    condition = (
      strcontains(google_monitoring_alert_policy.alert["silence"].conditions[0].condition_prometheus_query_language[0].query, "cluster=\"hub-east\"}[15m])")
      && strcontains(google_monitoring_alert_policy.alert["silence"].conditions[0].condition_prometheus_query_language[0].query, "cluster=\"hub-west\"}[15m])")
    )
    error_message = "each cluster's silence is noticed, whatever the other one's passes do"
  }

  assert {
    condition = (
      strcontains(output.kubectl_commands, "# hub-east\ngcloud container clusters get-credentials hub --location=us-east1 --project=east-project")
      && strcontains(output.kubectl_commands, "--namespace spares | kubectl apply")
    )
    error_message = "a cluster takes the file's namespace"
  }

  assert {
    condition     = strcontains(output.kubectl_commands, "--namespace placeholders --priority-class spare-node | kubectl apply")
    error_message = "unless it has its own"
  }
}

run "two_clusters_in_one_project_share_its_role" {
  variables {
    config_file = "tests/fixtures/two-clusters-one-project.yaml"
  }

  assert {
    condition     = keys(google_project_iam_custom_role.connect) == ["hub-project"] && strcontains(output.kubectl_commands, "get-credentials hub ") && strcontains(output.kubectl_commands, "get-credentials lab ")
    error_message = "one role for the project, one command for each cluster"
  }
}

run "a_values_file_of_the_chart_works_as_it_is" {
  variables {
    config_file = "tests/fixtures/chart-values.yaml"
  }

  assert {
    condition     = keys(google_project_iam_custom_role.connect) == ["hub-project"]
    error_message = "the cluster is found under the chart's name"
  }
}

run "a_pause_stops_the_starts_and_the_alert_about_their_absence" {
  variables {
    paused = true
  }

  assert {
    condition     = google_cloud_scheduler_job.start.paused && !google_monitoring_alert_policy.alert["silence"].enabled
    error_message = "paused"
  }

  assert {
    condition     = google_monitoring_alert_policy.alert["start_failures"].enabled
    error_message = "the other alerts stay"
  }
}

run "state_may_be_given_up" {
  variables {
    protect_state = false
  }

  assert {
    condition     = google_firestore_database.state.delete_protection_state == "DELETE_PROTECTION_DISABLED" && google_firestore_database.state.deletion_policy == "DELETE"
    error_message = "a destroy then deletes it"
  }
}

run "names_regions_and_times_are_the_reader_s" {
  variables {
    name                  = "spare-nodes"
    region                = "europe-west4"
    schedule_region       = "europe-west1"
    firestore_location    = "eur3"
    database              = "spare-nodes"
    schedule              = "*/5 * * * *"
    silence_minutes       = 20
    short_minutes         = 45
    notification_channels = ["projects/my-project/notificationChannels/123"]
  }

  assert {
    condition = (
      google_cloud_scheduler_job.start.region == "europe-west1"
      && google_cloud_scheduler_job.start.schedule == "*/5 * * * *"
      && google_cloud_scheduler_job.start.http_target[0].uri == "https://run.googleapis.com/v2/projects/my-project/locations/europe-west4/jobs/spare-nodes:run"
      && google_firestore_database.state.location_id == "eur3"
      && google_cloud_run_v2_job.pass.template[0].template[0].containers[0].args[4] == "firestore:spare-nodes"
    )
    error_message = "each where it was asked for"
  }

  assert {
    condition = (
      google_logging_metric.counter["passes"].name == "spare_nodes_passes"
      && strcontains(google_logging_metric.counter["start_failures"].filter, "resource.labels.job_id=\"spare-nodes-start\" AND resource.labels.location=\"europe-west1\"")
      && strcontains(google_monitoring_alert_policy.alert["silence"].conditions[0].condition_prometheus_query_language[0].query, "[20m]")
      && google_monitoring_alert_policy.alert["short"].conditions[0].condition_prometheus_query_language[0].duration == "2700s"
      && google_monitoring_alert_policy.alert["short"].notification_channels == tolist(["projects/my-project/notificationChannels/123"])
    )
    error_message = "metrics and alerts follow"
  }

  assert {
    condition = alltrue([
      for key in ["degraded", "short"] :
      strcontains(google_monitoring_alert_policy.alert[key].conditions[0].condition_prometheus_query_language[0].query, "[20m]")
    ])
    error_message = "a slower schedule is looked back on for longer, or the time between two passes would count as an end"
  }
}

run "traffic_may_go_through_a_network" {
  variables {
    vpc_egress = { network = "hub-net", subnetwork = "hub-subnet", tags = ["autoscaler"] }
  }

  assert {
    condition = (
      google_cloud_run_v2_job.pass.template[0].template[0].vpc_access[0].egress == "PRIVATE_RANGES_ONLY"
      && google_cloud_run_v2_job.pass.template[0].template[0].vpc_access[0].network_interfaces[0].subnetwork == "hub-subnet"
    )
    error_message = "direct VPC egress, private ranges only"
  }
}
