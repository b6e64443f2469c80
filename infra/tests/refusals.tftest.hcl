# Each bad value is refused at plan time, and by the rule that is meant for it.

mock_provider "google" {}

variables {
  project_id  = "my-project"
  region      = "us-central1"
  config_file = "tests/fixtures/one-cluster.yaml"
}

run "refuses_project_number" {
  command = plan

  variables {
    project_id = "123456789012"
  }

  expect_failures = [var.project_id]
}

run "refuses_project_name" {
  command = plan

  variables {
    project_id = "My Project"
  }

  expect_failures = [var.project_id]
}

run "refuses_zone_for_a_region" {
  command = plan

  variables {
    region = "us-central1-a"
  }

  expect_failures = [var.region]
}

run "refuses_zone_for_a_schedule_region" {
  command = plan

  variables {
    schedule_region = "us-central1-a"
  }

  expect_failures = [var.schedule_region]
}

run "refuses_unknown_firestore_location" {
  command = plan

  variables {
    firestore_location = "europe"
  }

  expect_failures = [var.firestore_location]
}

run "refuses_name_too_long_for_an_account" {
  command = plan

  variables {
    name = "the-placeholder-autoscaler"
  }

  expect_failures = [var.name]
}

run "refuses_name_with_capitals" {
  command = plan

  variables {
    name = "Autoscaler"
  }

  expect_failures = [var.name]
}

run "refuses_label_with_capitals" {
  command = plan

  variables {
    labels = { Team = "hubs" }
  }

  expect_failures = [var.labels]
}

run "refuses_config_file_missing" {
  command = plan

  variables {
    config_file = "tests/fixtures/there-is-none.yaml"
  }

  expect_failures = [var.config_file]
}

run "refuses_config_file_not_yaml" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-not-yaml.txt"
  }

  expect_failures = [var.config_file]
}

run "refuses_image_without_registry" {
  command = plan

  variables {
    initial_image = "autoscaler"
  }

  expect_failures = [var.initial_image]
}

run "refuses_no_task" {
  command = plan

  variables {
    task_count = 0
  }

  expect_failures = [var.task_count]
}

run "refuses_half_a_task" {
  command = plan

  variables {
    task_count = 1.5
  }

  expect_failures = [var.task_count]
}

run "refuses_six_cron_fields" {
  command = plan

  variables {
    schedule = "0 * * * * *"
  }

  expect_failures = [var.schedule]
}

run "refuses_schedule_in_words" {
  command = plan

  variables {
    schedule = "every 5 minutes"
  }

  expect_failures = [var.schedule]
}

run "refuses_database_name_too_short" {
  command = plan

  variables {
    database = "db"
  }

  expect_failures = [var.database]
}

run "refuses_role_id_with_a_hyphen" {
  command = plan

  variables {
    cluster_role_id = "placeholder-autoscaler"
  }

  expect_failures = [var.cluster_role_id]
}

run "refuses_unknown_egress" {
  command = plan

  variables {
    vpc_egress = { network = "n", subnetwork = "s", egress = "SOME" }
  }

  expect_failures = [var.vpc_egress]
}

run "refuses_egress_without_subnetwork" {
  command = plan

  variables {
    vpc_egress = { network = "n", subnetwork = "" }
  }

  expect_failures = [var.vpc_egress]
}

run "refuses_address_without_a_host" {
  command = plan

  variables {
    alert_emails = ["hub-staff"]
  }

  expect_failures = [var.alert_emails]
}

run "refuses_channel_by_display_name" {
  command = plan

  variables {
    notification_channels = ["Hub staff"]
  }

  expect_failures = [var.notification_channels]
}

run "refuses_silence_too_short" {
  command = plan

  variables {
    silence_minutes = 5
  }

  expect_failures = [var.silence_minutes]
}

run "refuses_silence_too_long" {
  command = plan

  variables {
    silence_minutes = 1500
  }

  expect_failures = [var.silence_minutes]
}

run "refuses_short_too_short" {
  command = plan

  variables {
    short_minutes = 5
  }

  expect_failures = [var.short_minutes]
}

run "refuses_short_too_long" {
  command = plan

  variables {
    short_minutes = 1500
  }

  expect_failures = [var.short_minutes]
}

run "refuses_config_with_list" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-list.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_no_cluster" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-no-cluster.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_cluster_and_fleet" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-cluster-and-fleet.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_cluster_name" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-cluster-name.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_embedded" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-embedded.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_no_pool" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-no-pool.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_two_calendars" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-two-calendars.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_calendar_file" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-calendar-file.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_calendar_file_in_fleet" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-calendar-file-in-fleet.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_replicas" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-replicas.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_fraction" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-fraction.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_config_with_threshold" {
  command = plan

  variables {
    config_file = "tests/fixtures/refused-threshold.yaml"
  }

  expect_failures = [google_secret_manager_secret_version.config]
}

run "refuses_more_tasks_than_clusters" {
  command = plan

  variables {
    task_count = 2
  }

  expect_failures = [google_cloud_run_v2_job.pass]
}
