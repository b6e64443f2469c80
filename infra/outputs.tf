locals {
  # A space is `+` in a form and `%20` in a path.
  log_query = {
    for key, filter in {
      errors   = "${local.job_log} AND severity>=ERROR"
      warnings = "${local.job_log} AND severity>=WARNING"
      starts   = local.counters.start_failures.filter
    } : key => "https://console.cloud.google.com/logs/query;query=${replace(urlencode(filter), "+", "%20")}?project=${var.project_id}"
  }

  console = {
    job       = "https://console.cloud.google.com/run/jobs/details/${var.region}/${var.name}/executions?project=${var.project_id}"
    schedule  = "https://console.cloud.google.com/cloudscheduler?project=${var.project_id}"
    dashboard = "https://console.cloud.google.com/monitoring/dashboards?project=${var.project_id}"
    errors    = local.log_query.errors
    warnings  = local.log_query.warnings
    starts    = local.log_query.starts
  }
}

output "build_command" {
  description = "Builds the image and points the job at it. Run it at the top of the repository."
  value = join(" ", [
    "gcloud builds submit",
    "--project=${var.project_id}",
    "--region=${var.region}",
    "--service-account=${google_service_account.build.name}",
    "--gcs-source-staging-dir=gs://${google_storage_bucket.source.name}/source",
    "--config=cloudbuild.yaml",
    "--substitutions=_REGION=${var.region},_REPOSITORY=${google_artifact_registry_repository.images.repository_id},_JOB=${google_cloud_run_v2_job.pass.name}",
    ".",
  ])
}

output "calendar_sharing_address" {
  description = "Share the calendar with this address, as \"See all event details\"."
  value       = google_service_account.job.email
}

output "job_unique_id" {
  description = "The same account's numeric id, which clusters may know it by."
  value       = google_service_account.job.unique_id
}

output "run_command" {
  description = "Starts one pass now and waits for it."
  value       = "gcloud run jobs execute ${google_cloud_run_v2_job.pass.name} --project=${var.project_id} --region=${var.region} --wait"
}

output "log_command" {
  description = "Shows what the last passes said."
  value       = "gcloud logging read '${local.job_log}' --project=${var.project_id} --freshness=10m --order=asc --format='value(timestamp,severity,jsonPayload.message,jsonPayload.cluster,jsonPayload.reason)'"
}

output "console" {
  description = "Pages of the Google Cloud console that show the job at work."
  value       = local.console
}

locals {
  # Through the DNS endpoint, which is the way that the job takes; not where it goes through a network of its own.
  endpoint_flag = var.vpc_egress == null ? " --dns-endpoint" : ""

  kubectl_commands = {
    for name, parts in local.cluster_parts : name => join("\n", [
      "gcloud container clusters get-credentials ${parts[2]} --location=${parts[1]} --project=${parts[0]}${local.endpoint_flag} && \\",
      join(" ", concat(
        ["scripts/render-cluster-yaml.sh --service-account ${google_service_account.job.email} --unique-id ${google_service_account.job.unique_id}"],
        [
          for flag, key in { "--namespace" = "namespace", "--priority-class" = "priorityClassName" } :
          "${flag} ${try(local.config.clusters[name][key], local.config[key])}" if can(try(local.config.clusters[name][key], local.config[key]))
        ],
        ["| kubectl apply --server-side -f -"],
      )),
    ]) if parts != null
  }
}

output "kubectl_commands" {
  description = "For each cluster of the config: lets the job in. A cluster administrator runs it at the top of the repository."
  value       = join("\n\n", [for name, commands in local.kubectl_commands : "# ${name}\n${commands}"])
}

output "next_steps" {
  description = "What is left to do after an apply, in order."
  value       = <<-EOT
    1. Build the image, at the top of the repository: terraform -chdir=infra output -raw build_command | sh
    2. Let the job into each cluster; `terraform -chdir=infra output -raw kubectl_commands` has the lines for:
       ${join(", ", sort(keys(local.clusters)))}
    3. Share the calendar with ${google_service_account.job.email} ("See all event details").
    4. Start a pass and read what it says: terraform -chdir=infra output -raw run_command | sh

    docs/deploy.md says what you should see at each.
  EOT
}
