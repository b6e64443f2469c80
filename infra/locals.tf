# What the config file says about clusters. It is the one place where a cluster is named: the rights to reach it,
# and the alert that it is no longer looked after, follow from there.
locals {
  # Nothing here may fail on a file that is not what it should be: the rules in config.tf say so in a person's words.
  config_document = try(yamldecode(file(var.config_file)), null)

  # A values file of the Helm chart, whose block stands under the chart's name, is taken as it is.
  config = try(local.config_document["node-placeholder-scaler"], local.config_document)

  # name => cluster path. A config of one cluster calls it `default`, as the job's own messages do.
  clusters = merge(
    try({ default = tostring(local.config.cluster) }, {}),
    { for name, cluster in try(local.config.clusters, {}) : name => try(tostring(cluster.cluster), "") },
  )

  # As the job itself takes it: the console's and the API's way to write it, too.
  cluster_pattern  = "^(?://container\\.googleapis\\.com/)?projects/([^/\\s]+)/(?:locations|zones)/([^/\\s]+)/clusters/([^/\\s]+)$"
  cluster_parts    = { for name, path in local.clusters : name => try(regex(local.cluster_pattern, path), null) }
  cluster_projects = toset([for parts in values(local.cluster_parts) : parts[0] if parts != null])
}

locals {
  schedule_region    = coalesce(var.schedule_region, var.region)
  firestore_location = coalesce(var.firestore_location, var.region)

  # Written out from variables, not read back from the resource: the schedule must be known before the job exists.
  job_run_url = "https://run.googleapis.com/v2/projects/${var.project_id}/locations/${var.region}/jobs/${var.name}:run"
}
