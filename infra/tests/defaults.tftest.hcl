# What one apply makes of the least that a person has to say.

mock_provider "google" {}

override_resource {
  target = google_service_account.job
  values = {
    email     = "placeholder-autoscaler-job@my-project.iam.gserviceaccount.com"
    member    = "serviceAccount:placeholder-autoscaler-job@my-project.iam.gserviceaccount.com"
    name      = "projects/my-project/serviceAccounts/placeholder-autoscaler-job@my-project.iam.gserviceaccount.com"
    unique_id = "103456789012345678901"
  }
}

override_resource {
  target = google_service_account.start
  values = {
    email  = "placeholder-autoscaler-start@my-project.iam.gserviceaccount.com"
    member = "serviceAccount:placeholder-autoscaler-start@my-project.iam.gserviceaccount.com"
  }
}

override_resource {
  target = google_service_account.build
  values = {
    email  = "placeholder-autoscaler-build@my-project.iam.gserviceaccount.com"
    member = "serviceAccount:placeholder-autoscaler-build@my-project.iam.gserviceaccount.com"
    name   = "projects/my-project/serviceAccounts/placeholder-autoscaler-build@my-project.iam.gserviceaccount.com"
  }
}

variables {
  project_id   = "my-project"
  region       = "us-central1"
  config_file  = "tests/fixtures/one-cluster.yaml"
  alert_emails = ["hub-staff@example.edu"]
}

run "a_pass_fits_its_minute_and_is_not_repeated" {
  assert {
    condition     = google_cloud_run_v2_job.pass.template[0].template[0].max_retries == 0
    error_message = "a failed pass must not be retried: the next minute's is the retry"
  }

  assert {
    condition     = google_cloud_run_v2_job.pass.template[0].template[0].timeout == "55s"
    error_message = "the task's timeout must lie above the pass's own deadline of 50 s and under the minute"
  }

  assert {
    condition     = google_cloud_run_v2_job.pass.template[0].task_count == 1 && google_cloud_run_v2_job.pass.template[0].parallelism == 1
    error_message = "one task unless asked for more"
  }

  assert {
    condition     = google_cloud_run_v2_job.pass.template[0].template[0].containers[0].resources[0].limits == tomap({ cpu = "1", memory = "512Mi" })
    error_message = "1 vCPU and 512 MiB"
  }

  assert {
    condition     = google_cloud_scheduler_job.start.retry_config[0].retry_count == 0 && google_cloud_scheduler_job.start.attempt_deadline == "30s"
    error_message = "a start whose answer was lost must not be repeated"
  }
}

run "the_job_runs_a_pass_with_its_config_and_state" {
  assert {
    condition = google_cloud_run_v2_job.pass.template[0].template[0].containers[0].args == tolist([
      "pass", "--config", "/etc/autoscaler/config.yaml", "--state", "firestore:placeholder-autoscaler", "--log-format", "json", "--log-level", "debug",
    ])
    error_message = "the container's arguments"
  }

  assert {
    condition = (
      google_cloud_run_v2_job.pass.template[0].template[0].containers[0].volume_mounts[0].mount_path == "/etc/autoscaler"
      && google_cloud_run_v2_job.pass.template[0].template[0].volumes[0].secret[0].secret == google_secret_manager_secret.config.secret_id
      && google_cloud_run_v2_job.pass.template[0].template[0].volumes[0].secret[0].items[0].path == "config.yaml"
      && google_cloud_run_v2_job.pass.template[0].template[0].volumes[0].secret[0].items[0].version == "latest"
    )
    error_message = "the config is the newest version of the secret, as a file"
  }

  assert {
    condition     = google_cloud_run_v2_job.pass.template[0].template[0].service_account == google_service_account.job.email
    error_message = "the job runs as its own account"
  }

  assert {
    condition     = length(google_cloud_run_v2_job.pass.template[0].template[0].vpc_access) == 0
    error_message = "no VPC egress unless asked for"
  }
}

run "the_schedule_starts_the_job_each_minute_as_its_own_account" {
  assert {
    condition     = google_cloud_scheduler_job.start.schedule == "* * * * *" && google_cloud_scheduler_job.start.paused == false
    error_message = "every minute, not paused"
  }

  assert {
    condition     = google_cloud_scheduler_job.start.http_target[0].uri == "https://run.googleapis.com/v2/projects/my-project/locations/us-central1/jobs/placeholder-autoscaler:run"
    error_message = "the v2 run call of this job"
  }

  assert {
    condition     = google_cloud_scheduler_job.start.http_target[0].http_method == "POST" && google_cloud_scheduler_job.start.http_target[0].body == null
    error_message = "an empty POST: any override in its body takes a right that the account lacks"
  }

  assert {
    condition = (
      google_cloud_scheduler_job.start.http_target[0].oauth_token[0].service_account_email == google_service_account.start.email
      && length(google_cloud_scheduler_job.start.http_target[0].oidc_token) == 0
    )
    error_message = "OAuth as the start account; Google APIs refuse OIDC"
  }

  assert {
    condition = (
      google_cloud_run_v2_job_iam_member.start_runs_job.role == "roles/run.invoker"
      && google_cloud_run_v2_job_iam_member.start_runs_job.name == google_cloud_run_v2_job.pass.name
      && google_cloud_run_v2_job_iam_member.start_runs_job.location == "us-central1"
      && google_cloud_run_v2_job_iam_member.start_runs_job.member == google_service_account.start.member
    )
    error_message = "the start account may run this job, and this one alone"
  }
}

run "each_account_holds_the_narrowest_rights" {
  assert {
    condition     = toset(google_project_iam_custom_role.connect["hub-project"].permissions) == toset(["container.clusters.get", "container.clusters.connect"])
    error_message = "the way to a cluster is these two permissions: any more would reach past the cluster's own roles"
  }

  assert {
    condition = (
      keys(google_project_iam_custom_role.connect) == ["hub-project"]
      && google_project_iam_member.job_connects["hub-project"].project == "hub-project"
      && google_project_iam_member.job_connects["hub-project"].role == google_project_iam_custom_role.connect["hub-project"].name
      && google_project_iam_member.job_connects["hub-project"].member == google_service_account.job.member
    )
    error_message = "the role is made and given in the cluster's project"
  }

  assert {
    condition = (
      google_project_iam_member.job_uses_state.role == "roles/datastore.user"
      && google_project_iam_member.job_uses_state.condition[0].expression == "resource.name == \"projects/my-project/databases/placeholder-autoscaler\""
    )
    error_message = "the job may use its own database and no other"
  }

  assert {
    condition = (
      google_secret_manager_secret_iam_member.job_reads_config.role == "roles/secretmanager.secretAccessor"
      && google_secret_manager_secret_iam_member.job_reads_config.secret_id == google_secret_manager_secret.config.secret_id
    )
    error_message = "the job may read its config and no other secret"
  }

  assert {
    condition = (
      google_cloud_run_v2_job_iam_member.build_deploys_job.role == "roles/run.developer"
      && google_cloud_run_v2_job_iam_member.build_deploys_job.name == google_cloud_run_v2_job.pass.name
      && google_artifact_registry_repository_iam_member.build_pushes_image.role == "roles/artifactregistry.writer"
      && google_service_account_iam_member.build_acts_as_job.role == "roles/iam.serviceAccountUser"
      && google_service_account_iam_member.build_acts_as_job.service_account_id == google_service_account.job.name
      && google_storage_bucket_iam_member.build_reads_source.role == "roles/storage.objectViewer"
      && google_project_iam_member.build_writes_logs.role == "roles/logging.logWriter"
    )
    error_message = "the build account may push to this repository, deploy this job as this account, read its source and write logs"
  }

  assert {
    condition = alltrue([
      for member in concat(
        [
          google_artifact_registry_repository_iam_member.build_pushes_image.member,
          google_cloud_run_v2_job_iam_member.build_deploys_job.member,
          google_cloud_run_v2_job_iam_member.start_runs_job.member,
          google_project_iam_member.build_writes_logs.member,
          google_project_iam_member.job_uses_state.member,
          google_secret_manager_secret_iam_member.job_reads_config.member,
          google_service_account_iam_member.build_acts_as_job.member,
          google_storage_bucket_iam_member.build_reads_source.member,
        ],
        [for binding in values(google_project_iam_member.job_connects) : binding.member],
      ) : startswith(member, "serviceAccount:placeholder-autoscaler-")
    ])
    error_message = "rights go to the three accounts made here: nobody public, no group, no person"
  }

  assert {
    condition     = google_storage_bucket.source.public_access_prevention == "enforced" && google_storage_bucket.source.uniform_bucket_level_access
    error_message = "the source bucket cannot be made public"
  }
}

run "the_state_is_protected" {
  assert {
    condition = (
      google_firestore_database.state.delete_protection_state == "DELETE_PROTECTION_ENABLED"
      && google_firestore_database.state.deletion_policy == "PREVENT"
      && google_firestore_database.state.type == "FIRESTORE_NATIVE"
      && google_firestore_database.state.location_id == "us-central1"
    )
    error_message = "a native database in the job's region that cannot be deleted by accident"
  }
}

run "large_maps_of_the_state_are_not_indexed" {
  assert {
    condition = toset([for field in values(google_firestore_field.unindexed) : "${field.collection}/${field.field}"]) == toset([
      "placeholderClusters/nodes", "placeholderClusters/keptEvents", "placeholderPages/nodes", "placeholderPages/events",
    ])
    error_message = "40,000 index entries are all that a document may have"
  }

  assert {
    condition = alltrue([
      for field in values(google_firestore_field.unindexed) :
      field.database == "placeholder-autoscaler" && length(field.index_config) == 1 && length(coalesce(field.index_config[0].indexes, [])) == 0
    ])
    error_message = "an empty index configuration, in the job's own database"
  }
}

run "every_alert_asks_for_what_it_says" {
  assert {
    condition     = google_monitoring_alert_policy.alert["silence"].conditions[0].condition_prometheus_query_language[0].query == "(sum by (cluster) (increase(logging_googleapis_com:user_placeholder_autoscaler_passes{monitored_resource=\"cloud_run_job\",outcome=\"ok\"}[15m])) < 1) or max by (cluster) (absent_over_time(logging_googleapis_com:user_placeholder_autoscaler_passes{monitored_resource=\"cloud_run_job\",outcome=\"ok\",cluster=\"default\"}[15m]))"
    error_message = "no successful pass: too few, or none ever"
  }

  assert {
    condition     = google_monitoring_alert_policy.alert["start_failures"].conditions[0].condition_prometheus_query_language[0].query == "sum(increase(logging_googleapis_com:user_placeholder_autoscaler_start_failures{monitored_resource=\"cloud_scheduler_job\"}[10m])) > 2"
    error_message = "starts that fail"
  }

  assert {
    condition = (
      google_monitoring_alert_policy.alert["degraded"].conditions[0].condition_prometheus_query_language[0].query == "sum by (cluster) (increase(logging_googleapis_com:user_placeholder_autoscaler_degraded{monitored_resource=\"cloud_run_job\"}[5m])) > 0"
      && google_monitoring_alert_policy.alert["degraded"].conditions[0].condition_prometheus_query_language[0].duration == "3600s"
    )
    error_message = "degraded for an hour on end"
  }

  assert {
    condition = (
      google_monitoring_alert_policy.alert["short"].conditions[0].condition_prometheus_query_language[0].query == "sum by (cluster, pool) (increase(logging_googleapis_com:user_placeholder_autoscaler_pool_short_sum{monitored_resource=\"cloud_run_job\"}[5m])) > 0"
      && google_monitoring_alert_policy.alert["short"].conditions[0].condition_prometheus_query_language[0].duration == "1800s"
    )
    error_message = "short of warm nodes for 30 minutes on end"
  }

  assert {
    condition     = google_monitoring_alert_policy.alert["findings"].conditions[0].condition_prometheus_query_language[0].query == "sum by (cluster) (increase(logging_googleapis_com:user_placeholder_autoscaler_findings_sum{monitored_resource=\"cloud_run_job\"}[15m])) > 0"
    error_message = "problems in upcoming events"
  }

  assert {
    condition = alltrue([
      for alert in values(google_monitoring_alert_policy.alert) :
      alert.enabled
      && length(alert.conditions) == 1
      && alert.conditions[0].condition_prometheus_query_language[0].disable_metric_validation
      && alert.notification_channels == tolist([google_monitoring_notification_channel.email["hub-staff@example.edu"].name])
      && strcontains(alert.documentation[0].content, "docs/operate.md")
    ])
    error_message = "every alert can be made before its metric has a point, goes to somebody, and tells where to read on"
  }
}

run "every_metric_is_extracted_from_the_job_s_own_log" {
  assert {
    condition = alltrue([
      for key, metric in merge(google_logging_metric.counter, google_logging_metric.measure) :
      key == "start_failures" || startswith(metric.filter, "resource.type=\"cloud_run_job\" AND resource.labels.job_name=\"placeholder-autoscaler\"")
    ])
    error_message = "another job's lines must not count"
  }

  assert {
    condition = alltrue([
      for metric in concat(values(google_logging_metric.counter), values(google_logging_metric.measure)) :
      sort(keys(metric.label_extractors)) == sort([for label in metric.metric_descriptor[0].labels : label.key])
    ])
    error_message = "each label has an extractor, and each extractor a label"
  }

  assert {
    condition = { for key, metric in merge(google_logging_metric.counter, google_logging_metric.measure) : key => join(" ", sort(keys(metric.label_extractors))) } == {
      decisions      = "cluster pool rule"
      degraded       = "cluster"
      findings       = "cluster"
      pass_duration  = "cluster"
      passes         = "cluster outcome"
      pool_pending   = "cluster pool"
      pool_short     = "cluster pool"
      pool_wanted    = "cluster pool"
      pool_warm      = "cluster pool"
      pool_warming   = "cluster pool"
      start_failures = ""
    }
    error_message = "the labels that alerts and dashboard tell apart by"
  }

  assert {
    condition     = alltrue([for metric in ["wanted", "warm", "warming", "pending", "short"] : strcontains(google_monitoring_dashboard.overview.dashboard_json, "_pool_${metric}_sum{")])
    error_message = "the dashboard shows how the placeholders of each pool stand"
  }

  assert {
    condition     = alltrue([for tile in jsondecode(google_monitoring_dashboard.overview.dashboard_json).mosaicLayout.tiles : try(tile.xPos, 0) + tile.width <= 48])
    error_message = "the dashboard's tiles lie on its columns"
  }

  assert {
    condition     = !can(regex("\"[xy]Pos\":0[,}]", google_monitoring_dashboard.overview.dashboard_json))
    error_message = "the API drops a position of 0, so saying it would be a change on every plan"
  }
}

run "the_outputs_tell_the_next_step" {
  assert {
    condition     = output.calendar_sharing_address == "placeholder-autoscaler-job@my-project.iam.gserviceaccount.com"
    error_message = "whom to share the calendar with"
  }

  assert {
    condition     = output.kubectl_commands == "# default\ngcloud container clusters get-credentials hub --location=us-central1 --project=hub-project --dns-endpoint && \\\nscripts/render-cluster-yaml.sh --service-account placeholder-autoscaler-job@my-project.iam.gserviceaccount.com --unique-id 103456789012345678901 | kubectl apply --server-side -f -"
    error_message = "how to let the job into the cluster"
  }

  assert {
    condition     = output.build_command == "gcloud builds submit --project=my-project --region=us-central1 --service-account=projects/my-project/serviceAccounts/placeholder-autoscaler-build@my-project.iam.gserviceaccount.com --gcs-source-staging-dir=gs://my-project-placeholder-autoscaler-source/source --config=cloudbuild.yaml --substitutions=_REGION=us-central1,_REPOSITORY=placeholder-autoscaler,_JOB=placeholder-autoscaler ."
    error_message = "how to build and deploy"
  }

  assert {
    condition     = strcontains(output.next_steps, "placeholder-autoscaler-job@my-project.iam.gserviceaccount.com")
    error_message = "the next steps name the address"
  }
}
