#!/bin/sh
# decisions.sh FOLDER GROUP [SINCE]: count the decisions in the journal since SINCE, by default of the last
# day, and write them to FOLDER/nearmiss-decisions.prom for node_exporter, in one step. Only root and GROUP
# can read the file: beside the time of a login, a changed count tells that an account's password is weak.
set -eu
umask 077

monitor=$(cd "$(dirname "$0")" && pwd)
usage='usage: decisions.sh FOLDER GROUP [SINCE]'
folder=${1:?$usage}
group=${2:?$usage}

# What another user may write to, or make a link of, leads to any file: from here on the folder is named by no
# path, and no other user can make an entry of it.
refuse() {
    echo "decisions.sh: $folder: $1" >&2
    exit 1
}
cd "$folder"
[ "$(pwd -P)" = "${folder%/}" ] || refuse "name the folder itself, $(pwd -P), and no link"
[ -O . ] && [ -z "$(find . -maxdepth 0 -perm /022)" ] ||
    refuse "it must belong to root, and no other user may write to it"

work=$(mktemp -d)
new=.nearmiss-decisions.$$
trap 'rm -rf "$work" "$new"' EXIT

# A journal that cannot be read, or that keeps nothing, must not look like a day without decisions.
[ -n "$(journalctl -q -o json -n 1)" ] || refuse "the journal is empty: are decisions in another log?"
journalctl -q -o json --since "${3:--24h}" SYSLOG_FACILITY=10 > "$work/log"
awk -v metrics=1 -v now="$(date +%s)" -f "$monitor/log-report.awk" "$work/log" > "$new"
chgrp "$group" "$new"
chmod 0640 "$new"
mv "$new" nearmiss-decisions.prom
