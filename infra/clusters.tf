# The way to a cluster, in every project that has one. These two permissions open the door and nothing behind it:
# what the job may do inside is granted by infra/cluster/autoscaler.yaml. Permissions such as container.pods.list
# must never be added here: GKE takes either, so they would reach past the cluster's own roles into every namespace.

resource "google_project_iam_custom_role" "connect" {
  for_each = local.cluster_projects

  project     = each.key
  role_id     = var.cluster_role_id
  title       = "Placeholder autoscaler: connect to clusters"
  description = "Read a cluster's endpoint and connect to its control plane; no right inside the cluster."
  permissions = ["container.clusters.connect", "container.clusters.get"]
}

resource "google_project_iam_member" "job_connects" {
  for_each = google_project_iam_custom_role.connect

  project = each.value.project
  role    = each.value.name
  member  = google_service_account.job.member
}
