resource "google_cloud_scheduler_job" "start" {
  project     = var.project_id
  region      = local.schedule_region
  name        = "${var.name}-start"
  description = "Starts one pass of the Cloud Run job ${var.name}."

  schedule  = var.schedule
  time_zone = "Etc/UTC"
  paused    = var.paused

  # The call only asks for an execution and returns; whether the pass works is for the alerts (alerts.tf).
  attempt_deadline = "30s"

  retry_config {
    # A retry after a lost answer would start a second pass, and the next minute's is soon enough.
    retry_count = 0
  }

  http_target {
    http_method = "POST"
    uri         = local.job_run_url

    # run.googleapis.com is a Google API, so OAuth: with an OIDC token it answers 401.
    oauth_token {
      service_account_email = google_service_account.start.email
    }
  }

  depends_on = [
    google_cloud_run_v2_job.pass,
    google_cloud_run_v2_job_iam_member.start_runs_job,
  ]
}

resource "google_cloud_run_v2_job_iam_member" "start_runs_job" {
  project  = var.project_id
  location = google_cloud_run_v2_job.pass.location
  name     = google_cloud_run_v2_job.pass.name
  role     = "roles/run.invoker"
  member   = google_service_account.start.member
}
