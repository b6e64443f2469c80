#!/bin/sh
# Builds the programs of a real Kubernetes control plane for the tests, as Go modules pinned in control-plane/go.mod.
set -eu

usage() {
  cat <<'HELP'
Usage: scripts/build-control-plane.sh [DIR]

Builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl and kwok into DIR
(default: .cache/control-plane in this clone, where the tests look on their own). The folder has the layout of
envtest's: with another DIR, tell the tests by KUBEBUILDER_ASSETS=DIR.

Needs Go 1.26 or later. From empty caches it takes about eight minutes on two cores; what is up to date is not
built again. Nothing is written outside DIR and Go's own caches.
HELP
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
module=$root/scripts/control-plane

case ${1:-} in
  -h | --help)
    usage
    exit 0
    ;;
  -*)
    usage >&2
    exit 2
    ;;
esac
[ $# -le 1 ] || {
  usage >&2
  exit 2
}

dir=${1:-$root/.cache/control-plane}
command -v go >/dev/null 2>&1 || {
  echo "build-control-plane: Go is not installed; see https://go.dev/doc/install" >&2
  exit 1
}

version_of() {
  (cd "$module" && go list -m -f '{{.Version}}' "$1")
}

kubernetes=$(version_of k8s.io/kubernetes)
kwok=$(version_of sigs.k8s.io/kwok)
minor=${kubernetes#v1.}
minor=${minor%%.*}

# A program whose own version is v0.0.0 is refused by some clients and by the scheduler's feature gates; releases are
# stamped at link time, and so are these. etcd carries its version in its source.
flags="-s -w
 -X k8s.io/component-base/version.gitVersion=$kubernetes
 -X k8s.io/component-base/version.gitMajor=1
 -X k8s.io/component-base/version.gitMinor=$minor
 -X k8s.io/client-go/pkg/version.gitVersion=$kubernetes
 -X sigs.k8s.io/kwok/pkg/consts.Version=$kwok"
flags=$(printf '%s' "$flags" | tr '\n' ' ')

mkdir -p "$dir"
stamp=$(cat "$module/go.mod" "$module/go.sum" "$0" | cksum; go env GOVERSION GOOS GOARCH)

build() {
  name=$1
  package=$2
  if [ -x "$dir/$name" ] && [ "$(cat "$dir/.$name.stamp" 2>/dev/null)" = "$stamp" ]; then
    echo "$name: up to date"
    return
  fi
  echo "$name: building $package"
  # Built beside its place and moved there: a build that is cut off never leaves half a program.
  (cd "$module" && CGO_ENABLED=0 go build -trimpath -ldflags "$flags" -o "$dir/.$name.building" "$package")
  mv "$dir/.$name.building" "$dir/$name"
  printf '%s\n' "$stamp" >"$dir/.$name.stamp"
}

dir=$(CDPATH='' cd -- "$dir" && pwd)
build etcd go.etcd.io/etcd/server/v3
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
build kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler
build kwok sigs.k8s.io/kwok/cmd/kwok
build kubectl k8s.io/kubernetes/cmd/kubectl
