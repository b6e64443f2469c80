#!/bin/sh
# Checks the Terraform of infra/: format, and with a provider at hand also validity, tests and an empty second plan.
set -eu

usage() {
  cat <<'HELP'
Usage: scripts/check-terraform.sh [--plugin-dir DIR]

Checks the Terraform of infra/: `terraform fmt -check` always; `terraform validate`, `terraform test` (the provider is
mocked, no cloud is touched) and that a plan after an apply is empty, where the Google provider can be had.

  --plugin-dir DIR  take the provider from DIR instead of the registry, laid out as
                    DIR/registry.terraform.io/hashicorp/google/VERSION/OS_ARCH/terraform-provider-google_vVERSION
                    (also: the environment variable TF_PLUGIN_DIR)
  -h, --help        this text

Exit: 0 all checks that could be made passed, 1 one failed, 2 wrong usage.
HELP
}

refuse() {
  echo "check-terraform: $1" >&2
  echo "Try: scripts/check-terraform.sh --help" >&2
  exit 2
}

plugin_dir=${TF_PLUGIN_DIR:-}
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --plugin-dir)
      [ $# -ge 2 ] || refuse "--plugin-dir needs a folder"
      plugin_dir=$2
      shift 2
      ;;
    *) refuse "unknown option: $1" ;;
  esac
done
[ -z "$plugin_dir" ] || [ -d "$plugin_dir" ] || refuse "there is no folder $plugin_dir"
[ -z "$plugin_dir" ] || plugin_dir=$(CDPATH='' cd -- "$plugin_dir" && pwd)

command -v terraform >/dev/null || {
  echo "check-terraform: terraform is not installed; versions.tf says which one is needed" >&2
  exit 1
}
# A settings file that is named but not there is a warning on every call.
[ -r "${TF_CLI_CONFIG_FILE:-/}" ] || unset TF_CLI_CONFIG_FILE

infra=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/infra
terraform fmt -check -diff -recursive "$infra"
echo "terraform fmt: ok"

# In a copy, so that a check leaves nothing behind: no lock file with the hash of somebody's own build of the provider.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT INT TERM
cp "$infra"/*.tf "$copy"
cp -R "$infra/tests" "$copy/tests"
[ ! -r "$infra/.terraform.lock.hcl" ] || [ -n "$plugin_dir" ] || cp "$infra/.terraform.lock.hcl" "$copy"
cd "$copy"

if [ -n "$plugin_dir" ]; then
  terraform init -backend=false -input=false -no-color -plugin-dir="$plugin_dir" >init.log 2>&1 || {
    cat init.log >&2
    exit 1
  }
elif ! timeout 120 terraform init -backend=false -input=false -no-color >init.log 2>&1; then
  echo "terraform validate, test: not run, the provider could not be had (--plugin-dir takes one from a folder)"
  exit 0
fi

terraform validate -no-color
terraform test -no-color

terraform test -no-color -verbose -filter=tests/converges.tftest.hcl >converges.log
grep -q '^No changes\.' converges.log || {
  cat converges.log >&2
  echo "check-terraform: a plan after an apply is not empty (above)" >&2
  exit 1
}
echo "terraform plan after apply: no changes"
