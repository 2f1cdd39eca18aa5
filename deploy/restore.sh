#!/bin/sh
# Puts what backup.sh has copied into a home that is not there yet, and into an empty store: restore.sh [--home DIR] FOLDER
# docs/upkeep.md says what is in it. The store is the one that the settings name; what it needs are its own programs:
# redis-cli and redis-server, or pg_dump, pg_restore and psql.
set -eu

usage() {
    echo "usage: restore.sh [--home DIR] FOLDER" >&2
    exit 2
}
home=
while [ $# -gt 1 ]; do
    [ "$1" = --home ] && [ $# -gt 2 ] || usage
    home=$2
    shift 2
done
[ $# -eq 1 ] || usage
case $1 in -*) usage ;; esac
# Sulla's own Python reads the settings: the first line of the program says which it is.
python=${PYTHON:-$(sed -n '1s/^#!//p' "$(command -v sulla)")}
exec "$python" "$(dirname -- "$0")/kept.py" restore ${home:+--home "$home"} -- "$1"
