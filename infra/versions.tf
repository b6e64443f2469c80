terraform {
  # 1.11 is the first with write-only arguments, which keep the config file out of the state (config.tf).
  required_version = ">= 1.11"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 7.45, < 8"
    }
  }

  # The state holds no secret, but it is the only record of what was created: keep it where your team can reach it.
  # A bucket of your own, named at init so that no name of yours has to be edited in here:
  #   terraform init -backend-config=bucket=YOUR-STATE-BUCKET -backend-config=prefix=placeholder-autoscaler
  # after uncommenting the next line.
  # backend "gcs" {}
}

provider "google" {
  project        = var.project_id
  region         = var.region
  default_labels = var.labels
}
