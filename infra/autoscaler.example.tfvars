# Copy this file to terraform.tfvars and fill it in. Every variable with its meaning: variables.tf.

project_id = "my-project"
region     = "us-central1"

# Who hears of trouble.
alert_emails = ["hub-staff@example.edu"]

# config_file        = "config.yaml"
# firestore_location = "nam5"
# silence_minutes    = 15
# short_minutes      = 30
# paused             = false
