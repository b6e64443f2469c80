resource "google_cloud_run_v2_job" "pass" {
  project  = var.project_id
  name     = var.name
  location = var.region

  launch_stage = "GA"

  # Nothing is lost with the job: its state is in Firestore (state.tf), which is protected.
  deletion_protection = false

  template {
    task_count  = var.task_count
    parallelism = var.task_count

    template {
      service_account = google_service_account.job.email

      # The pass stops itself at 50 s, so that it can say where it stopped; this is for one that no longer can.
      # Together under the minute, or passes would pile up. The next minute's pass is the retry.
      timeout     = "55s"
      max_retries = 0

      containers {
        # Named, or gcloud names it when it deploys and the next plan wants that undone.
        name  = "pass"
        image = var.initial_image
        args = [
          "pass",
          "--config", "/etc/autoscaler/config.yaml",
          "--state", "firestore:${google_firestore_database.state.name}",
          "--log-format", "json",
          # How each pool stands is said at debug, on every pass: the numbers that metrics.tf reads.
          "--log-level", "debug",
        ]

        # Saves asking the metadata server at each start.
        env {
          name  = "GOOGLE_CLOUD_PROJECT"
          value = var.project_id
        }

        resources {
          # The least that a job may have of both.
          limits = {
            cpu    = "1"
            memory = "512Mi"
          }
        }

        volume_mounts {
          name       = "config"
          mount_path = "/etc/autoscaler"
        }
      }

      volumes {
        name = "config"

        secret {
          secret       = google_secret_manager_secret.config.secret_id
          default_mode = 292 # 0444: the image's user is not root, the volume's owner is.

          items {
            path    = "config.yaml"
            version = "latest"
          }
        }
      }

      dynamic "vpc_access" {
        for_each = var.vpc_egress == null ? [] : [var.vpc_egress]

        content {
          egress = vpc_access.value.egress

          network_interfaces {
            network    = vpc_access.value.network
            subnetwork = vpc_access.value.subnetwork
            tags       = vpc_access.value.tags
          }
        }
      }
    }
  }

  lifecycle {
    # Cloud Build owns the image; gcloud signs its name as the client when it deploys.
    ignore_changes = [
      client,
      client_version,
      template[0].template[0].containers[0].image,
    ]

    precondition {
      condition     = var.task_count <= max(1, length(local.clusters))
      error_message = "task_count is ${var.task_count}, but ${var.config_file} names ${length(local.clusters)} cluster(s): the tasks beyond that would have nothing to do and be billed for it."
    }
  }

  # A secret's volume is checked when the job is made: the version and the right to read it come first.
  depends_on = [
    google_secret_manager_secret_iam_member.job_reads_config,
    google_secret_manager_secret_version.config,
  ]
}
