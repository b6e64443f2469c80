#!/bin/sh
# Prints infra/cluster/autoscaler.yaml with the job's account filled in.
set -eu

usage() {
  cat <<'HELP'
Usage: scripts/render-cluster-yaml.sh (--service-account EMAIL --unique-id ID | --without-rights)
                                     [--namespace NAMESPACE] [--priority-class NAME]

Prints what a cluster needs before the job may manage it (namespace, priority class, budget, and the rights of the
job's account), ready for:

  scripts/render-cluster-yaml.sh --service-account EMAIL --unique-id ID | kubectl apply --server-side -f -

  --service-account EMAIL  the job's service account
  --unique-id ID           the same account's numeric id:
                           gcloud iam service-accounts describe EMAIL --format 'value(uniqueId)'
  --without-rights         no rights: for passes under your own login, which has them already
  --namespace NAMESPACE    `namespace` of the config, when it is not node-placeholder
  --priority-class NAME    `priorityClassName` of the config, when it is not node-placeholder
  -h, --help               this text
HELP
}

refuse() {
  echo "render-cluster-yaml: $1" >&2
  echo "Try: scripts/render-cluster-yaml.sh --help" >&2
  exit 2
}

email=''
unique_id=''
with_rights=true
namespace=node-placeholder
priority_class=node-placeholder
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --without-rights)
      with_rights=false
      shift
      ;;
    --service-account | --unique-id | --namespace | --priority-class)
      [ $# -ge 2 ] || refuse "$1 needs a value"
      case $1 in
        --service-account) email=$2 ;;
        --unique-id) unique_id=$2 ;;
        --namespace) namespace=$2 ;;
        *) priority_class=$2 ;;
      esac
      shift 2
      ;;
    *) refuse "unknown option: $1" ;;
  esac
done

# Checked strictly, since the values become part of a document that grants rights.
matches() {
  printf '%s' "$1" | tr '\n' '!' | grep -Eq "$2"
}
if [ "$with_rights" = false ]; then
  [ -z "$email$unique_id" ] || refuse "--without-rights leaves the account out: drop --service-account and --unique-id"
  email=none@example.com
  unique_id=0
fi
matches "$email" '^[a-z0-9.-]+@[a-z0-9.-]+$' || refuse "--service-account must be an e-mail address, not '$email'"
matches "$unique_id" '^[0-9]+$' || refuse "--unique-id must be digits, not '$unique_id'"
matches "$namespace" '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' || refuse "--namespace is no namespace's name: '$namespace'"
matches "$priority_class" '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$' ||
  refuse "--priority-class is no priority class's name: '$priority_class'"

template=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)/infra/cluster/autoscaler.yaml
# Namespace and priority class have the same name there, so each is replaced where it stands and nowhere else.
rendered=$(sed -e '1,/^---$/d' \
  -e "s/SERVICE_ACCOUNT_EMAIL/$email/" \
  -e "s/SERVICE_ACCOUNT_UNIQUE_ID/$unique_id/" \
  -e "s/^  namespace: node-placeholder\$/  namespace: $namespace/" \
  -e "/^kind: Namespace\$/,/^---\$/s/^  name: node-placeholder\$/  name: $namespace/" \
  -e "/^kind: PriorityClass\$/,/^---\$/s/^  name: node-placeholder\$/  name: $priority_class/" \
  -e "/^    resources: \[priorityclasses\]\$/,/verbs/s/node-placeholder/$priority_class/" \
  "$template")
if [ "$with_rights" = true ]; then
  printf '%s\n' "$rendered"
else
  # The rights stand last; the line that parts them from the rest goes too.
  printf '%s\n' "$rendered" | sed -n '/^apiVersion: rbac/q;p' | sed '$d'
fi
