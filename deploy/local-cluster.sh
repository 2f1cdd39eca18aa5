#!/bin/sh
# A cluster on this machine, to try and to develop with: local-cluster.sh start|stop|status [OPTIONS]
# PostgreSQL, Redis, gateways and workers, all below one folder, with this machine's own programs; `stop` leaves nothing.
set -eu

usage() {
    echo "usage: local-cluster.sh start|stop|status [--store postgres|redis] [--gateways 2] [--workers 3] [--folder DIR]" >&2
    exit 2
}
case ${1:-} in start | stop | status) ;; *) usage ;; esac
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
python=${PYTHON:-$root/.venv/bin/python}
[ -x "$python" ] || {
    echo "local-cluster.sh: there is no $python: run ./dev setup, or name one that has Sulla's libraries with PYTHON" >&2
    exit 2
}
PYTHONPATH=$root exec "$python" -m deploy.local_cluster "$@"
