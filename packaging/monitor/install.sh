#!/bin/sh
# install.sh FOLDER: put what monitoring uses into FOLDER: the script that counts the log, the alert rules for
# Prometheus, the dashboard for Grafana.
set -eu

source=$(cd "$(dirname "$0")" && pwd)
install -d "${1:?usage: install.sh FOLDER}"
install -m 0644 "$source/log-report.awk" "$source/nearmiss.rules.yml" "$source/grafana-nearmiss.json" "$1"
