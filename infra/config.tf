# The config: a secret because a calendar's private address is one, a file in the job because that is read anew on
# each pass, so that a new version is in force within a minute or two and without a deployment.

locals {
  config_text = try(file(var.config_file), "")

  # The simple rules, so that a slip is found by `terraform plan`. All others (and the same ones again) are checked by
  # the pass itself, which lists every problem with its line.
  config_pools = merge(concat(
    [{ for pool, settings in try(local.config.nodePools, {}) : "nodePools.${pool}" => settings }],
    [for name, cluster in try(local.config.clusters, {}) : {
      for pool, settings in try(cluster.nodePools, {}) : "clusters.${name}.nodePools.${pool}" => settings
    }],
  )...)

  # The file itself, and each cluster of a fleet, which may say for itself what the file says for all.
  config_scopes = merge(
    { "the file" = try(local.config, {}) },
    try({ for name, cluster in local.config.clusters : "clusters.${name}" => cluster }, {}),
  )

  scopes_with_two_calendars = [
    for scope, settings in local.config_scopes : scope
    if try(settings.calendarId, null) != null && try(settings.calendarUrl, null) != null
  ]

  scopes_with_a_file_as_calendar = [
    for scope, settings in local.config_scopes : scope
    if try(settings.calendarUrl, null) != null && !can(regex("(?i)^(?:https?|webcal)://", settings.calendarUrl))
  ]

  pools_with_bad_replicas = [
    for pool, settings in local.config_pools : pool if !try(
      settings.replicas >= 0 && floor(settings.replicas) == settings.replicas
      && settings.replicas <= try(settings.maxReplicas, local.config.maxReplicas, 20),
      !can(settings.replicas),
    )
  ]

  bad_thresholds = [
    for key in ["cpuThreshold", "memoryThreshold"] : key
    if !try(local.config[key] >= 0 && local.config[key] <= 1, !can(local.config[key]))
  ]
}

resource "google_secret_manager_secret" "config" {
  project   = var.project_id
  secret_id = "${var.name}-config"

  replication {
    auto {}
  }

  depends_on = [google_project_service.enabled]
}

resource "google_secret_manager_secret_version" "config" {
  secret = google_secret_manager_secret.config.id

  # Write-only: the text goes to Secret Manager and never into the state. The number changes with the text, which is
  # what makes Terraform add a version; 28 bits of its hash, since that is a whole number that any client can hold.
  secret_data_wo         = local.config_text
  secret_data_wo_version = parseint(substr(sha256(local.config_text), 0, 7), 16)

  # `latest` is the newest version whatever became of it, so the new one must be there before the old one is let go;
  # and the old ones stay readable, since they are how to go back (docs/operate.md).
  deletion_policy = "ABANDON"

  lifecycle {
    create_before_destroy = true

    precondition {
      condition     = can(keys(local.config))
      error_message = "${var.config_file}: the file must be a mapping of settings, such as `cluster: projects/…`."
    }

    precondition {
      condition     = can(local.config.cluster) != can(local.config.clusters)
      error_message = "${var.config_file}: name either one `cluster` or a fleet under `clusters`, and not both."
    }

    precondition {
      condition     = length(local.clusters) > 0 && alltrue([for parts in values(local.cluster_parts) : parts != null])
      error_message = "${var.config_file}: a cluster is named projects/PROJECT/locations/LOCATION/clusters/NAME; this is not: ${join(", ", [for name, parts in local.cluster_parts : "${name} (`${local.clusters[name]}`)" if parts == null])}. `gcloud container clusters list --format='value(name,location)'` shows the parts."
    }

    precondition {
      condition     = length(local.config_pools) > 0
      error_message = "${var.config_file}: `nodePools` names no pool, so there would be nothing to do."
    }

    precondition {
      condition     = length(local.scopes_with_two_calendars) == 0
      error_message = "${var.config_file}: set `calendarId` or `calendarUrl`, not both; look at ${join(", ", local.scopes_with_two_calendars)}."
    }

    precondition {
      condition     = length(local.scopes_with_a_file_as_calendar) == 0
      error_message = "${var.config_file}: `calendarUrl` must be an address (https:, http: or webcal:): the job has no file of yours to read; look at ${join(", ", local.scopes_with_a_file_as_calendar)}."
    }

    precondition {
      condition     = length(local.pools_with_bad_replicas) == 0
      error_message = "${var.config_file}: `replicas` is a whole number from 0 to `maxReplicas` (20 unless set); look at ${join(", ", local.pools_with_bad_replicas)}."
    }

    precondition {
      condition     = length(local.bad_thresholds) == 0
      error_message = "${var.config_file}: ${join(" and ", local.bad_thresholds)} must be a ratio from 0 to 1 (write 0.35 for 35 percent)."
    }
  }
}

resource "google_secret_manager_secret_iam_member" "job_reads_config" {
  project   = var.project_id
  secret_id = google_secret_manager_secret.config.secret_id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.job.member
}
