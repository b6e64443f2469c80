# A second plan finds nothing to do: scripts/check-terraform.sh looks for that in what this prints.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project_id   = "my-project"
  region       = "us-central1"
  config_file  = "tests/fixtures/two-clusters.yaml"
  alert_emails = ["hub-staff@example.edu"]
}

run "apply" {}

run "plan_after_apply" {
  command = plan
}
