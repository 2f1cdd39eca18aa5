#!/bin/sh
# Writes what a release is made of, as CycloneDX: sbom.sh FOLDER
# The Python packages are those that uv.lock holds to hashes, the console's those of package-lock.json.
set -eu

[ $# -eq 1 ] || {
    echo "usage: sbom.sh FOLDER" >&2
    exit 2
}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
mkdir -p -- "$1"
uv export --quiet --project "$root" --locked --offline --no-default-groups --all-extras --no-emit-project \
    --preview-features sbom-export --format cyclonedx1.5 --output-file "$1/sulla.cdx.json"
if command -v npm >/dev/null 2>&1; then
    # npm marks what only builds the console (`cdx:npm:package:development`). With --omit dev it would leave out react too.
    npm sbom --prefix "$root/console" --package-lock-only --sbom-format cyclonedx >"$1/console.cdx.json"
else
    echo "sbom.sh: there is no npm, so the list of the console's packages is left out" >&2
fi
