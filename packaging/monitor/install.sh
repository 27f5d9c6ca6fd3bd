#!/bin/sh
# install.sh FOLDER: put what monitoring uses into FOLDER: the scripts that count the log, the alert rules and
# the page of a site for Prometheus, the dashboard for Grafana.
set -eu

source=$(cd "$(dirname "$0")" && pwd)
install -d "${1:?usage: install.sh FOLDER}"
install -m 0644 "$source/log-report.awk" "$source/nearmiss.rules.yml" "$source/nearmiss.html" \
    "$source/grafana-nearmiss.json" "$1"
install -m 0755 "$source/decisions.sh" "$1"
