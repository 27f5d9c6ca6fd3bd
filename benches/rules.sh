#!/bin/bash
# What each rule of the policy buys: the table in README.md. Needs the package hashcat-data (its rule files),
# wamerican and zstd; takes about ten minutes.
#
# Usage: benches/rules.sh [PASSWORDS...]: further lists of passwords to try, one a line.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CARGO:=cargo}" "${RULES:=/usr/share/hashcat/rules}" "${OUTPUT:=target/rules}"
test -e "$RULES/best64.rule" || { echo "install the package hashcat-data" >&2; exit 1; }

$CARGO build --quiet --release -p filterctl -p filterlab
mkdir -p "$OUTPUT"
key=000102030405060708090a0b0c0d0e0f
target/release/filterctl build --quiet --common --key $key -o "$OUTPUT/words.filter"

# 300 English words of 6 to 12 letters, and the 300 most common passwords.
zstd -q -f -d packaging/wordlists/common.lst.zst -o "$OUTPUT/common"
sed -n '55863,144874p' "$OUTPUT/common" >"$OUTPUT/scowl"
grep -E '^[a-z]{6,12}$' "$OUTPUT/scowl" | shuf -n 300 --random-source=<(yes) >"$OUTPUT/w.words"
head -n 300 "$OUTPUT/common" >"$OUTPUT/p.words"
further=()
for list in "$@"; do further+=(--passwords "$list"); done

for made_of in w p; do
    echo "== rules applied to $made_of"
    rules=()
    for rule in best64 rockyou-30000 d3ad0ne dive; do rules+=(--rules "$RULES/$rule.rule"); done
    target/release/filterlab study catch --each-rule --peers 0 --most 30000 --generated 1000 \
        --filter "$OUTPUT/words.filter" --output "$OUTPUT/$made_of" "${rules[@]}" "$OUTPUT/$made_of.words"
done

# Generated passwords; phrases are made of English words. Lists of passwords that people chose, where given.
echo "== generated passwords${1:+, and lists}"
grep -E '^[a-z]{3,9}$' "$OUTPUT/scowl" >"$OUTPUT/english"
printf ':\n' >"$OUTPUT/nothing.rule"
target/release/filterlab study catch --each-rule --peers 0 --filter "$OUTPUT/words.filter" \
    --output "$OUTPUT/generated" --rules "$OUTPUT/nothing.rule" "${further[@]}" "$OUTPUT/english"
