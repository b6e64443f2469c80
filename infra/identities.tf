# One account for each actor, each with the one thing that it does. Why each right is needed: docs/security.md.

resource "google_service_account" "job" {
  project      = var.project_id
  account_id   = "${var.name}-job"
  display_name = "${var.name}: reads the calendar, scales placeholders"
  description  = "The identity of a pass. Share the calendar with this address; clusters bind their roles to it."

  depends_on = [google_project_service.enabled]
}

resource "google_service_account" "start" {
  project      = var.project_id
  account_id   = "${var.name}-start"
  display_name = "${var.name}: starts the job"
  description  = "Cloud Scheduler starts the job as this account. It can do nothing else."

  depends_on = [google_project_service.enabled]
}

resource "google_service_account" "build" {
  project      = var.project_id
  account_id   = "${var.name}-build"
  display_name = "${var.name}: builds and deploys the image"
  description  = "Cloud Build runs as this account: it pushes the image and points the job at it."

  depends_on = [google_project_service.enabled]
}
