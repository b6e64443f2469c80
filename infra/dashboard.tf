# Nothing is said here that the API would answer with the default left out, such as a position of 0: what it adds is
# not taken for a change, what it drops would be one on every plan.

locals {
  # The mean of one line is that line's number (metrics.tf).
  measured = {
    for key in keys(local.measures) : key =>
    "sum by (${join(", ", keys(local.measures[key].labels))}) (increase(${local.promql["${key}_sum"]}}[${local.last_line}])) / sum by (${join(", ", keys(local.measures[key].labels))}) (increase(${local.promql["${key}_count"]}}[${local.last_line}]))"
  }

  charts = [
    {
      title = "Wanted and warm, by pool"
      lines = [
        { query = local.measured.pool_wanted, legend = "$${cluster}/$${pool} wanted", plot = "LINE" },
        { query = local.measured.pool_warm, legend = "$${cluster}/$${pool} warm", plot = "LINE" },
      ]
    },
    {
      title = "Warming and Pending, by pool"
      lines = [
        { query = local.measured.pool_warming, legend = "$${cluster}/$${pool} warming", plot = "LINE" },
        { query = local.measured.pool_pending, legend = "$${cluster}/$${pool} Pending", plot = "LINE" },
      ]
    },
    {
      title = "Short of warm nodes, by pool"
      lines = [{ query = local.measured.pool_short, legend = "$${cluster}/$${pool}", plot = "STACKED_BAR" }]
    },
    {
      title = "Passes by outcome, per 5 minutes"
      lines = [
        { query = "sum by (cluster, outcome) (increase(${local.promql.passes}}[5m]))", legend = "$${cluster} $${outcome}", plot = "STACKED_BAR" },
        { query = "sum by (cluster) (increase(${local.promql.degraded}}[5m]))", legend = "$${cluster} of them degraded", plot = "LINE" },
      ]
    },
    {
      title = "Decisions by rule, per 5 minutes"
      lines = [{ query = "sum by (rule) (increase(${local.promql.decisions}}[5m]))", legend = "$${rule}", plot = "STACKED_BAR" }]
    },
    {
      title = "Length of a pass (ms; it stops itself at 50,000)"
      lines = [{ query = local.measured.pass_duration, legend = "$${cluster}", plot = "LINE" }]
    },
    {
      title = "Problems in upcoming events"
      lines = [{ query = local.measured.findings, legend = "$${cluster}", plot = "STACKED_BAR" }]
    },
    {
      title = "Failed starts, per 5 minutes"
      lines = [{ query = "sum(increase(${local.promql.start_failures}}[5m]))", legend = "starts", plot = "STACKED_BAR" }]
    },
  ]

  log_panel = {
    title = "Warnings and errors"
    logsPanel = {
      filter = "${local.job_log}\nseverity>=WARNING"
    }
  }

  chart_widgets = [
    for chart in local.charts : {
      title = chart.title
      xyChart = {
        dataSets = [
          for line in chart.lines : {
            legendTemplate  = line.legend
            plotType        = line.plot
            timeSeriesQuery = { prometheusQuery = line.query }
          }
        ]
      }
    }
  ]

  # Two in a row on the 48 columns of a mosaic; the log spans both and comes last.
  placed = concat(
    [
      for index, widget in local.chart_widgets : {
        place  = { xPos = (index % 2) * 24, yPos = floor(index / 2) * 16, width = 24, height = 16 }
        widget = widget
      }
    ],
    [{
      place  = { xPos = 0, yPos = ceil(length(local.chart_widgets) / 2) * 16, width = 48, height = 20 }
      widget = local.log_panel
    }],
  )

  tiles = [
    for tile in local.placed :
    merge({ for key, value in tile.place : key => value if value > 0 }, { widget = tile.widget })
  ]
}

resource "google_monitoring_dashboard" "overview" {
  project = var.project_id

  dashboard_json = jsonencode({
    displayName  = var.name
    mosaicLayout = { columns = 48, tiles = local.tiles }
  })

  depends_on = [google_project_service.enabled]
}
