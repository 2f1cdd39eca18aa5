#!/bin/sh
# Copies a home and its store into a new folder, while the daemon works: backup.sh [--home DIR] FOLDER
# docs/upkeep.md says what is in it. The store is the one that the settings name; what it needs are its own programs:
# redis-cli and redis-server, or pg_dump, pg_restore and psql.
set -eu

usage() {
    echo "usage: backup.sh [--home DIR] FOLDER" >&2
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
exec "$python" "$(dirname -- "$0")/kept.py" backup ${home:+--home "$home"} -- "$1"
