#!/bin/sh
# units.sh FOLDER: put systemd's units of nearmiss into FOLDER, enabled, so that no script of a package has to
# do that; the administrator enables nearmiss-metrics.timer, where there is node_exporter: it starts
# nearmiss-doctor.timer, too.
set -eu

source=$(cd "$(dirname "$0")" && pwd)/systemd
folder=${1:?usage: units.sh FOLDER}
install -d "$folder/multi-user.target.wants" "$folder/timers.target.wants"
install -m 0644 "$source"/*.service "$source"/*.timer "$folder"
ln -s ../nearmiss-filter.service "$folder/multi-user.target.wants/"
ln -s ../nearmiss-verify.timer "$folder/timers.target.wants/"
