# Members of IAM bindings are checked for their form even where the provider is mocked.
mock_resource "google_service_account" {
  defaults = {
    email     = "autoscaler@my-project.iam.gserviceaccount.com"
    member    = "serviceAccount:autoscaler@my-project.iam.gserviceaccount.com"
    name      = "projects/my-project/serviceAccounts/autoscaler@my-project.iam.gserviceaccount.com"
    unique_id = "103456789012345678901"
  }
}
