#!/bin/sh
# A cluster on this machine whose parts die, hang and lose each other while clients are served: drill.sh [OPTIONS]
# It ends with 1 if anything was lost, doubled or stuck; docs/scale.md says what it does.
set -eu

usage() {
    echo "usage: drill.sh [--minutes 15] [--seed N] [--store postgres|redis] [--clients 40] [--upgrade-to REF|WHEEL] [--report FILE]" >&2
    exit 2
}
for word in "$@"; do
    case $word in -h | --help) usage ;; esac
done
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
python=${PYTHON:-$root/.venv/bin/python}
[ -x "$python" ] || {
    echo "drill.sh: there is no $python: run ./dev setup, or name one that has what tests need with PYTHON" >&2
    exit 2
}
PYTHONPATH=$root exec "$python" -m tests.faults.drill "$@"
