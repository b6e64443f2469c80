# What a person is told, and nothing that a person can do nothing about. Each text ends in the section of
# docs/operate.md that goes on from there.
#
# PromQL throughout, with metric validation off: a threshold or absence condition wants a first data point before it
# can fire, so it would stay silent about a job that never once worked, and a policy on a metric that no line has fed
# yet would be refused. One condition a policy: Cloud Monitoring takes no second one beside PromQL.

resource "google_monitoring_notification_channel" "email" {
  for_each = var.alert_emails

  project      = var.project_id
  display_name = "${var.name}: ${each.key}"
  type         = "email"
  labels       = { email_address = each.key }

  depends_on = [google_project_service.enabled]
}

locals {
  channels = concat(
    var.notification_channels,
    [for channel in values(google_monitoring_notification_channel.email) : channel.name],
  )

  alerts = {
    # Each cluster by name, so that one which never had a pass is missed too, and a fleet's other clusters do not
    # speak for it. What is absent gives no series to compare with 1, what was zero is not absent: hence both.
    silence = {
      title    = "no successful pass for ${var.silence_minutes} minutes"
      severity = "CRITICAL"
      enabled  = !var.paused
      for      = "0s"
      query = join(" or ", concat(
        ["(sum by (cluster) (increase(${local.promql.passes},outcome=\"ok\"}[${var.silence_minutes}m])) < 1)"],
        [for name in sort(keys(local.clusters)) :
        "max by (cluster) (absent_over_time(${local.promql.passes},outcome=\"ok\",cluster=\"${name}\"}[${var.silence_minutes}m]))"],
      ))
      text = <<-EOT
        Nobody has decided about placeholders of this cluster for ${var.silence_minutes} minutes. The ones that are there stay; a class that is about to begin gets no nodes.

        1. Is the job started? [Executions](${local.console.job}) should show one for each minute. If not, see the alert about failed starts, and `paused` in the Terraform variables.
        2. Is it started and fails? The newest [error in the log](${local.console.errors}) says what to do.
        3. Neither: the job still runs the image that it was created with. Build one: `terraform output build_command`.
      EOT
    }
    start_failures = {
      title    = "Cloud Scheduler cannot start the job"
      severity = "CRITICAL"
      enabled  = true
      for      = "0s"
      query    = "sum(increase(${local.promql.start_failures}}[10m])) > 2"
      text     = <<-EOT
        At least three starts within ten minutes were refused, so no pass ran and the job's own log says nothing.

        The [scheduler's log](${local.console.starts}) has the code: 403 means that `${var.name}-start` lost roles/run.invoker on the job (or the Cloud Scheduler service agent lost its role); 404 that the job was deleted or renamed. `terraform apply` restores the first two.
      EOT
    }
    degraded = {
      title    = "the calendar has been unreadable for over an hour"
      severity = "ERROR"
      enabled  = true
      for      = "3600s"
      query    = "sum by (cluster) (increase(${local.promql.degraded}}[${local.recent}])) > 0"
      text     = <<-EOT
        Passes go on and decide from the events that were last read. New or changed events are not seen; when the kept ones are older than `calendarStaleAfter` (a day), nothing is scaled down any more and passes fail.

        The [warning in the log](${local.console.warnings}) names the calendar and the reason. Most often it is no longer shared with ${google_service_account.job.email} ("See all event details").
      EOT
    }
    short = {
      title    = "a pool has been short of warm nodes for ${var.short_minutes} minutes"
      severity = "ERROR"
      enabled  = true
      for      = "${var.short_minutes * 60}s"
      query    = "sum by (cluster, pool) (increase(${local.promql.pool_short_sum}}[${local.recent}])) > 0"
      text     = <<-EOT
        The pool was told to hold more than it has on warm nodes, and has been for ${var.short_minutes} minutes: who logs in now waits for a node.

        `kubectl get pods -l app.kubernetes.io/managed-by=calendar-node-pool-autoscaler -A -o wide` shows whether placeholders are Pending, `kubectl describe pod` why: the pool's maximum size, a quota, or a zone without machines. If all run, nodes take longer than that to pull the user image.
      EOT
    }
    findings = {
      title    = "an upcoming event has a description with problems"
      severity = "WARNING"
      enabled  = true
      for      = "0s"
      query    = "sum by (cluster) (increase(${local.promql.findings_sum}}[15m])) > 0"
      text     = <<-EOT
        A line in the description of an event of the next days was not understood and will be left out: a pool that is not there, a count that is none.

        The [warning in the log](${local.console.warnings}), written once when this alert opened, names the event, the line and the likely correction. Whoever owns the event corrects it in the calendar; the alert closes by itself.
      EOT
    }
  }

  alert_sections = {
    silence        = "No successful pass"
    start_failures = "Cloud Scheduler cannot start the job"
    degraded       = "The calendar has been unreadable"
    short          = "A pool is short of warm nodes"
    findings       = "An upcoming event has problems"
  }
}

resource "google_monitoring_alert_policy" "alert" {
  for_each = local.alerts

  project      = var.project_id
  display_name = "${var.name}: ${each.value.title}"
  combiner     = "OR"
  severity     = each.value.severity
  enabled      = each.value.enabled

  notification_channels = local.channels

  conditions {
    display_name = each.value.title

    condition_prometheus_query_language {
      query                     = each.value.query
      duration                  = each.value.for
      evaluation_interval       = "60s"
      disable_metric_validation = true
    }
  }

  alert_strategy {
    auto_close = "1800s"
  }

  documentation {
    mime_type = "text/markdown"
    content   = "${each.value.text}\nMore: docs/operate.md, \"${local.alert_sections[each.key]}\"."
  }

  user_labels = var.labels

  depends_on = [google_project_service.enabled]
}
