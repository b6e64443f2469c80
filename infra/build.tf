# Where images are kept, and what Cloud Build may do to bring one there and into the job (cloudbuild.yaml).

resource "google_artifact_registry_repository" "images" {
  project       = var.project_id
  location      = var.region
  repository_id = var.name
  description   = "Images of the Cloud Run job ${var.name}."
  format        = "DOCKER"

  # The last ten are enough to go back to; KEEP wins over DELETE where both match.
  cleanup_policies {
    id     = "keep-the-last-ten"
    action = "KEEP"

    most_recent_versions {
      keep_count = 10
    }
  }

  cleanup_policies {
    id     = "delete-after-30-days"
    action = "DELETE"

    condition {
      older_than = "2592000s"
    }
  }

  depends_on = [google_project_service.enabled]
}

# `gcloud builds submit` uploads the source here. A bucket of its own, since the build account could otherwise read
# the sources of every build in the project.
resource "google_storage_bucket" "source" {
  project  = var.project_id
  name     = "${var.project_id}-${var.name}-source"
  location = var.region

  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true

  soft_delete_policy {
    retention_duration_seconds = 0
  }

  lifecycle_rule {
    condition {
      age = 7
    }

    action {
      type = "Delete"
    }
  }

  depends_on = [google_project_service.enabled]
}

resource "google_storage_bucket_iam_member" "build_reads_source" {
  bucket = google_storage_bucket.source.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.build.member
}

resource "google_artifact_registry_repository_iam_member" "build_pushes_image" {
  project    = var.project_id
  location   = google_artifact_registry_repository.images.location
  repository = google_artifact_registry_repository.images.name
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.build.member
}

resource "google_cloud_run_v2_job_iam_member" "build_deploys_job" {
  project  = var.project_id
  location = google_cloud_run_v2_job.pass.location
  name     = google_cloud_run_v2_job.pass.name
  role     = "roles/run.developer"
  member   = google_service_account.build.member
}

# Deploying a job that runs as an account takes the right to act as it: as this one alone.
resource "google_service_account_iam_member" "build_acts_as_job" {
  service_account_id = google_service_account.job.name
  role               = "roles/iam.serviceAccountUser"
  member             = google_service_account.build.member
}

# Logs have no narrower resource than the project; the role can write and not read.
resource "google_project_iam_member" "build_writes_logs" {
  project = var.project_id
  role    = "roles/logging.logWriter"
  member  = google_service_account.build.member
}
