# ---- where ----

variable "project_id" {
  description = "Project that holds the job, its schedule, state, config, images, metrics and alerts. The clusters may be in other projects."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))
    error_message = "project_id is the project's id (6 to 30 lower-case letters, digits and hyphens), not its name or number. `gcloud projects list` shows it."
  }
}

variable "region" {
  description = "Region of the job, its images and its builds, such as europe-west4. Near the clusters is best: a pass talks mostly to them."
  type        = string

  validation {
    condition     = can(regex("^[a-z]+(-[a-z]+)+[0-9]+$", var.region))
    error_message = "region is a Cloud Run region such as us-central1, not a zone such as us-central1-a. `gcloud run regions list` shows them."
  }
}

variable "schedule_region" {
  description = "Region of the Cloud Scheduler job, where `region` has no Cloud Scheduler (`gcloud scheduler locations list`). Empty: same as region."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.schedule_region == "" || can(regex("^[a-z]+(-[a-z]+)+[0-9]+$", var.schedule_region))
    error_message = "schedule_region is a region such as us-central1, or empty for the same as region."
  }
}

variable "firestore_location" {
  description = "Location of the Firestore database that keeps the state (`gcloud firestore locations list`). It can never be changed. Empty: same as region."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = contains(["", "nam5", "nam7", "eur3"], var.firestore_location) || can(regex("^[a-z]+(-[a-z]+)+[0-9]+$", var.firestore_location))
    error_message = "firestore_location is a region such as europe-west4, or one of the multi-regions nam5, nam7 and eur3, or empty for the same as region."
  }
}

variable "name" {
  description = "Name of the Cloud Run job, and prefix of everything else that is created. Change it to run two of these in one project."
  type        = string
  default     = "placeholder-autoscaler"
  nullable    = false

  validation {
    # 24: the accounts are named `NAME-start` and so on, and an account id has 30 characters at most.
    condition     = can(regex("^[a-z][a-z0-9-]{3,22}[a-z0-9]$", var.name))
    error_message = "name is 5 to 24 lower-case letters, digits and hyphens, begins with a letter and does not end with a hyphen."
  }
}

variable "labels" {
  description = "Labels for every resource that takes labels, for billing reports and the like."
  type        = map(string)
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for key, value in var.labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && can(regex("^[a-z0-9_-]{0,63}$", value))])
    error_message = "labels: keys and values are lower-case letters, digits, hyphens and underscores, 63 at most, and a key begins with a letter."
  }
}

# ---- what ----

variable "config_file" {
  description = "Path of the YAML file that says which pools of which clusters are managed and which calendar asks for nodes (README, \"Config\")."
  type        = string
  default     = "config.yaml"
  nullable    = false

  validation {
    condition     = fileexists(var.config_file)
    error_message = "config_file: there is no file ${var.config_file}. Copy config.example.yaml to config.yaml and fill it in."
  }

  validation {
    condition     = !fileexists(var.config_file) || can(yamldecode(file(var.config_file)))
    error_message = "config_file: ${var.config_file} is not YAML. A tab used for indentation and a missing space after a colon are the usual reasons."
  }

  validation {
    condition     = !fileexists(var.config_file) || length(try(filebase64(var.config_file), "")) <= 87384
    error_message = "config_file: ${var.config_file} is larger than the 64 KiB that Secret Manager holds in one version."
  }
}

variable "initial_image" {
  description = "Image that the job is created with. It only has to exist: the first build replaces it, and Terraform never looks at the image again."
  type        = string
  default     = "us-docker.pkg.dev/cloudrun/container/job:latest"
  nullable    = false

  validation {
    condition     = can(regex("^[a-z0-9.-]+(/[A-Za-z0-9._-]+)+(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})?$", var.initial_image))
    error_message = "initial_image is a full image name such as europe-west4-docker.pkg.dev/PROJECT/REPOSITORY/IMAGE:TAG."
  }
}

variable "task_count" {
  description = "Tasks that share the clusters of a pass among them, for a fleet that one task cannot work through in its minute. Each is billed for a minute of its own."
  type        = number
  default     = 1
  nullable    = false

  validation {
    condition     = var.task_count >= 1 && var.task_count <= 50 && floor(var.task_count) == var.task_count
    error_message = "task_count is a whole number from 1 to 50."
  }
}

# ---- when ----

variable "schedule" {
  description = "When a pass starts, as five cron fields, in UTC. Every minute is what the decisions are tuned for; a slower one costs less and reacts later (docs/deploy.md, \"What it costs\")."
  type        = string
  default     = "* * * * *"
  nullable    = false

  validation {
    condition     = can(regex("^[0-9*,/A-Za-z-]+( [0-9*,/A-Za-z-]+){4}$", var.schedule))
    error_message = "schedule is five cron fields with one space between them, such as `* * * * *` (every minute) or `*/5 * * * *`."
  }
}

variable "paused" {
  description = "Stops passes from being started, and the alert about their absence with them. Placeholders stay as they are."
  type        = bool
  default     = false
  nullable    = false
}

# ---- state ----

variable "database" {
  description = "Id of the Firestore database for the state. It is created, and the job may use no other. The free tier covers a project's first database."
  type        = string
  default     = "placeholder-autoscaler"
  nullable    = false

  validation {
    condition     = var.database == "(default)" || can(regex("^[a-z][a-z0-9-]{2,61}[a-z0-9]$", var.database))
    error_message = "database is 4 to 63 lower-case letters, digits and hyphens, begins with a letter and does not end with a hyphen; or `(default)`."
  }
}

variable "protect_state" {
  description = "Keeps the Firestore database from being deleted, by Terraform and by anybody. Apply `false` first when you mean to destroy it."
  type        = bool
  default     = true
  nullable    = false
}

# ---- reaching the clusters ----

variable "cluster_role_id" {
  description = "Id of the custom role made in every project that has a cluster. A deleted role's id cannot be used again for weeks: choose another one then."
  type        = string
  default     = "placeholderAutoscalerConnect"
  nullable    = false

  validation {
    condition     = can(regex("^[a-zA-Z0-9_.]{3,64}$", var.cluster_role_id))
    error_message = "cluster_role_id is 3 to 64 letters, digits, underscores and dots."
  }
}

variable "vpc_egress" {
  description = "Network for the job's traffic, only for clusters whose control plane has neither a DNS endpoint open to outside traffic nor a public address: a first connection through it can take a minute. Null: none."
  type = object({
    network    = string
    subnetwork = string
    egress     = optional(string, "PRIVATE_RANGES_ONLY")
    tags       = optional(list(string), [])
  })
  default = null

  validation {
    condition     = var.vpc_egress == null || try(contains(["PRIVATE_RANGES_ONLY", "ALL_TRAFFIC"], var.vpc_egress.egress), false)
    error_message = "vpc_egress.egress is PRIVATE_RANGES_ONLY or ALL_TRAFFIC."
  }

  validation {
    condition     = var.vpc_egress == null || try(length(var.vpc_egress.network) > 0 && length(var.vpc_egress.subnetwork) > 0, false)
    error_message = "vpc_egress needs both network and subnetwork; the subnetwork is /26 or larger and in the job's region."
  }
}

# ---- being told ----

variable "alert_emails" {
  description = "Addresses that every alert is sent to; a notification channel is made for each."
  type        = set(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for address in var.alert_emails : can(regex("^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", address))])
    error_message = "alert_emails are e-mail addresses such as hub-staff@example.edu."
  }
}

variable "notification_channels" {
  description = "Existing notification channels that every alert is sent to as well, as projects/PROJECT/notificationChannels/ID (`gcloud beta monitoring channels list`)."
  type        = list(string)
  default     = []
  nullable    = false

  validation {
    condition     = alltrue([for channel in var.notification_channels : can(regex("^projects/[^/]+/notificationChannels/[0-9]+$", channel))])
    error_message = "notification_channels are full names: projects/PROJECT/notificationChannels/ID."
  }
}

variable "silence_minutes" {
  description = "Minutes without a successful pass over a cluster before the alert. Metrics arrive some minutes late, so less than 10 cries wolf; keep it above three steps of a slower schedule."
  type        = number
  default     = 15
  nullable    = false

  validation {
    condition     = var.silence_minutes >= 10 && var.silence_minutes <= 1380 && floor(var.silence_minutes) == var.silence_minutes
    error_message = "silence_minutes is a whole number from 10 to 1380 (23 hours)."
  }
}

variable "short_minutes" {
  description = "Minutes that a pool may have fewer warm nodes than it was told to hold before the alert. A new node takes about ten minutes to become warm, and a class takes the spares while it logs in."
  type        = number
  default     = 30
  nullable    = false

  validation {
    condition     = var.short_minutes >= 10 && var.short_minutes <= 1380 && floor(var.short_minutes) == var.short_minutes
    error_message = "short_minutes is a whole number from 10 to 1380 (23 hours)."
  }
}
