#!/bin/sh
# Runs the commands of docs/papers.md that draw: all that name docs/figures, and those in blocks, which
# make what these need. $1 is the folder of filterlab and filterctl.
set -eu
cd "$(dirname "$0")/../.."
programs=$(cd "$1" && pwd)
mkdir -p docs/figures out
commands=$(mktemp)
trap 'rm -f "$commands"' EXIT
awk '
    /^```/ { in_block = !in_block; next }
    in_block { print; next }
    { while (match($0, /`filter(lab|ctl) [^`]*docs\/figures[^`]*`/)) {
        print substr($0, RSTART + 1, RLENGTH - 2)
        $0 = substr($0, RSTART + RLENGTH) } }
' docs/papers.md > "$commands"
while read -r command; do
    echo "$command"
    PATH="$programs:$PATH" sh -euc "$command" > /dev/null < /dev/null
done < "$commands"
