# Numbers out of the log. A pass prints one line for each cluster (`pass_summary`) and one for each pool (`pool_state`);
# the field names below are those lines' own, and test/infra holds each filter and extractor against lines that a pass
# really printed. Nothing is written to Cloud Monitoring by the job, so it needs no right there.

locals {
  # PromQL has no hyphens in names.
  metric_prefix = replace(var.name, "-", "_")

  job_log = "resource.type=\"cloud_run_job\" AND resource.labels.job_name=\"${var.name}\" AND resource.labels.location=\"${var.region}\""

  summary_log = "${local.job_log} AND jsonPayload.event=\"pass_summary\""
  pool_log    = "${local.job_log} AND jsonPayload.event=\"pool_state\""

  # Counted: lines, by the labels given.
  counters = {
    passes = {
      description = "Passes over a cluster, by how they ended."
      filter      = local.summary_log
      labels      = { cluster = "jsonPayload.cluster", outcome = "jsonPayload.outcome" }
    }
    degraded = {
      description = "Passes that could not read the calendar and decided from what was kept of it."
      filter      = "${local.summary_log} AND jsonPayload.degraded=true"
      labels      = { cluster = "jsonPayload.cluster" }
    }
    decisions = {
      description = "Decisions about a pool, by the rule that made them."
      filter      = local.pool_log
      labels      = { cluster = "jsonPayload.cluster", pool = "jsonPayload.pool", rule = "jsonPayload.rule" }
    }
    # Only severity tells: what a failed start says differs with the reason.
    start_failures = {
      description = "Attempts of Cloud Scheduler to start the job that failed."
      filter      = "resource.type=\"cloud_scheduler_job\" AND resource.labels.job_id=\"${var.name}-start\" AND resource.labels.location=\"${local.schedule_region}\" AND severity>=ERROR"
      labels      = {}
    }
  }

  # Measured: a number in each line. A log-based metric has no gauge; the mean of a distribution over a minute with
  # one line in it is that line's number.
  measures = {
    pass_duration = {
      description = "How long a pass over a cluster took."
      filter      = local.summary_log
      value       = "jsonPayload.durationMs"
      labels      = { cluster = "jsonPayload.cluster" }
      unit        = "ms"
      bounds      = [250, 500, 1000, 2000, 4000, 8000, 15000, 30000, 45000, 50000, 60000]
    }
    findings = {
      description = "Problems in the descriptions of upcoming events."
      filter      = local.summary_log
      value       = "jsonPayload.findings.upcoming"
      labels      = { cluster = "jsonPayload.cluster" }
      unit        = "1"
      bounds      = [1, 2, 5, 10, 20, 50]
    }
    pool_wanted = {
      description = "Placeholders that a pool was told to hold."
      filter      = local.pool_log
      value       = "jsonPayload.wanted"
      labels      = { cluster = "jsonPayload.cluster", pool = "jsonPayload.pool" }
      unit        = "1"
      bounds      = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50]
    }
    pool_warm = {
      description = "Placeholders of a pool that stand on warm nodes."
      filter      = local.pool_log
      value       = "jsonPayload.warm"
      labels      = { cluster = "jsonPayload.cluster", pool = "jsonPayload.pool" }
      unit        = "1"
      bounds      = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50]
    }
    pool_warming = {
      description = "Placeholders of a pool that stand on nodes which are not warm yet."
      filter      = local.pool_log
      value       = "jsonPayload.warming"
      labels      = { cluster = "jsonPayload.cluster", pool = "jsonPayload.pool" }
      unit        = "1"
      bounds      = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50]
    }
    pool_pending = {
      description = "Placeholders of a pool that wait for a node."
      filter      = local.pool_log
      value       = "jsonPayload.pending"
      labels      = { cluster = "jsonPayload.cluster", pool = "jsonPayload.pool" }
      unit        = "1"
      bounds      = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50]
    }
    pool_short = {
      description = "Warm nodes that a pool lacks of what it was told to hold."
      filter      = local.pool_log
      value       = "jsonPayload.short"
      labels      = { cluster = "jsonPayload.cluster", pool = "jsonPayload.pool" }
      unit        = "1"
      bounds      = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50]
    }
  }
}

resource "google_logging_metric" "counter" {
  for_each = local.counters

  project     = var.project_id
  name        = "${local.metric_prefix}_${each.key}"
  description = each.value.description
  filter      = each.value.filter

  label_extractors = { for label, field in each.value.labels : label => "EXTRACT(${field})" }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"

    dynamic "labels" {
      for_each = each.value.labels

      content {
        key        = labels.key
        value_type = "STRING"
      }
    }
  }

  depends_on = [google_project_service.enabled]
}

resource "google_logging_metric" "measure" {
  for_each = local.measures

  project     = var.project_id
  name        = "${local.metric_prefix}_${each.key}"
  description = each.value.description
  filter      = each.value.filter

  value_extractor  = "EXTRACT(${each.value.value})"
  label_extractors = { for label, field in each.value.labels : label => "EXTRACT(${field})" }

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = each.value.unit

    dynamic "labels" {
      for_each = each.value.labels

      content {
        key        = labels.key
        value_type = "STRING"
      }
    }
  }

  bucket_options {
    explicit_buckets {
      bounds = each.value.bounds
    }
  }

  depends_on = [google_project_service.enabled]
}

locals {
  # How far to look back for the last lines of a job that runs as scheduled, and for the very last one: long enough for
  # a line that comes late, and no longer, so that what is over is seen to be over.
  recent    = var.schedule == "* * * * *" ? "5m" : "${var.silence_minutes}m"
  last_line = var.schedule == "* * * * *" ? "2m" : "${var.silence_minutes}m"

  # The same metrics as PromQL calls them. A log-based metric can belong to several resource types, so the type has to
  # be said each time.
  promql = merge(
    {
      for key, metric in google_logging_metric.counter : key => join("", [
        "logging_googleapis_com:user_${metric.name}",
        key == "start_failures" ? "{monitored_resource=\"cloud_scheduler_job\"" : "{monitored_resource=\"cloud_run_job\"",
      ])
    },
    {
      for key, metric in google_logging_metric.measure : "${key}_sum" =>
      "logging_googleapis_com:user_${metric.name}_sum{monitored_resource=\"cloud_run_job\""
    },
    {
      for key, metric in google_logging_metric.measure : "${key}_count" =>
      "logging_googleapis_com:user_${metric.name}_count{monitored_resource=\"cloud_run_job\""
    },
  )
}
