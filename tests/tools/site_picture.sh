#!/bin/sh
# site_picture.sh PNG: a picture of the page of a site, for docs/monitor.md: 500 simulated hosts, as the test
# of the page has them. Needs chromium, or the program that CHROMIUM names. The date in it is made up.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/../.."
NEARMISS_SITE_PAGE=$work/page.html cargo test --profile test-fast -p nearmiss-tests --test e2e monitor::page
sed "s/$(date -u +%F)/2030-01-15/g" "$work/page.html" > "$work/shown.html"
"${CHROMIUM:-chromium}" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,1130 \
    --user-data-dir="$work/profile" --screenshot="$work/page.png" "file://$work/shown.html"
cp "$work/page.png" "$1"
