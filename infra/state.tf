# What must outlive a pass: the lease, when each node was first seen and last busy, and the calendar as last read.

resource "google_firestore_database" "state" {
  project     = var.project_id
  name        = var.database
  location_id = local.firestore_location
  type        = "FIRESTORE_NATIVE"

  # The default, said: two passes that take the lease at once must not both have it.
  concurrency_mode = "PESSIMISTIC"

  # Two locks: the first in Google Cloud, against anybody; the second in Terraform, whose own default on destroy would
  # be to forget the database and leave it behind.
  delete_protection_state = var.protect_state ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED"
  deletion_policy         = var.protect_state ? "PREVENT" : "DELETE"

  depends_on = [google_project_service.enabled]
}

resource "google_project_iam_member" "job_uses_state" {
  project = var.project_id
  role    = "roles/datastore.user"
  member  = google_service_account.job.member

  # Firestore has no policy on a database of its own: the project's, narrowed to it.
  condition {
    title       = "${var.name} database only"
    description = "The job's own Firestore database and no other of the project."
    expression  = "resource.name == \"projects/${var.project_id}/databases/${google_firestore_database.state.name}\""
  }
}

locals {
  # A map is indexed field by field, twice, and a document may have 40,000 index entries: with a node's two times that
  # is 10,000 nodes. Nothing is ever queried, so none of it needs an index.
  unindexed_fields = toset([
    "placeholderClusters/nodes",
    "placeholderClusters/keptEvents",
    "placeholderPages/nodes",
    "placeholderPages/events",
  ])
}

resource "google_firestore_field" "unindexed" {
  for_each = local.unindexed_fields

  project    = var.project_id
  database   = google_firestore_database.state.name
  collection = split("/", each.key)[0]
  field      = split("/", each.key)[1]

  # Empty: no index at all, sub-fields included.
  index_config {}
}
