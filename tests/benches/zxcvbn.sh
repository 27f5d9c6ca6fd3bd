#!/bin/sh
# A check of guesses by filterctl, with the built-in lists as they are packaged, beside zxcvbn in one run.
#   tests/benches/zxcvbn.sh FOLDER    for what it downloads and builds
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1"
folder=$(cd "$1" && pwd)
bin=${CARGO_TARGET_DIR:-$PWD/target}/release
if [ ! -x "$folder/venv/bin/python" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet zxcvbn-rs-py==0.3.0
fi
cargo build --quiet --release -p filterctl
xz -dc packaging/wordlists/common.lst.xz > "$folder/common"
"$bin/filterctl" build --quiet --common -o "$folder/words.filter"
"$bin/filterctl" build --quiet --everyday --match exact -o "$folder/everyday.filter"
cat >"$folder/conf" <<EOF
packaged = false
[[dictionary]]
file = "$folder/words.filter"
[[dictionary]]
file = "$folder/everyday.filter"
EOF
# English words of 6 to 12 letters stand from this line on, as the list's PROVENANCE says.
sed -n '55863,144874p' "$folder/common" | grep -E '^[a-z]{6,12}$' |
    shuf -n 300 --random-source="$folder/common" >"$folder/words"
head -n 300 "$folder/common" >>"$folder/words"
shuf -n 10000 --random-source="$folder/common" \
    crates/filters/tests/fixtures/passwords.txt >"$folder/passwords"
exec "$folder/venv/bin/python" tests/benches/peers/zxcvbn.py "$bin/filterctl" "$folder/conf" \
    "$folder/words" "$folder/passwords"
