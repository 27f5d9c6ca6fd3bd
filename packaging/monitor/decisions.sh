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
work=$(mktemp -d)
new=$folder/.nearmiss-decisions.$$
trap 'rm -rf "$work" "$new"' EXIT

# A journal that cannot be read must not look like a day without decisions.
journalctl -q -o json --since "${3:--24h}" SYSLOG_FACILITY=10 > "$work/log"
awk -v metrics=1 -v now="$(date +%s)" -f "$monitor/log-report.awk" "$work/log" > "$new"
chgrp "$group" "$new"
chmod 0640 "$new"
mv "$new" "$folder/nearmiss-decisions.prom"
