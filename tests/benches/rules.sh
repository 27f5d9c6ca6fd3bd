#!/bin/bash
# What each rule of the policy buys: the table in docs/measured.md. Needs the packages hashcat-data (its rule
# files) and xz.
#
# Usage: tests/benches/rules.sh [PASSWORDS...]: further lists of passwords to try, one a line. MOST passwords
# of each set and GENERATED ones of each kind are tried under every policy.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}" "${RULES:=/usr/share/hashcat/rules}" "${OUTPUT:=target/rules}"
: "${MOST:=1500}" "${GENERATED:=2000}"
test -e "$RULES/best64.rule" || { echo "install the package hashcat-data" >&2; exit 1; }

$CARGO build --quiet --release -p filterctl -p filterlab
bin=${BIN:-target/release}
mkdir -p "$OUTPUT"
"$bin/filterctl" build --quiet --common --key 000102030405060708090a0b0c0d0e0f -o "$OUTPUT/words.filter"

# Rules are applied to 300 English words of 6 to 12 letters and to the 300 most common passwords; phrases are
# made of all English words.
xz -dc packaging/wordlists/common.lst.xz > "$OUTPUT/common"
sed -n '55863,144874p' "$OUTPUT/common" >"$OUTPUT/scowl"
grep -E '^[a-z]{6,12}$' "$OUTPUT/scowl" | shuf -n 300 --random-source=<(yes) >"$OUTPUT/words"
head -n 300 "$OUTPUT/common" >>"$OUTPUT/words"
grep -E '^[a-z]{3,9}$' "$OUTPUT/scowl" >"$OUTPUT/english"
head -n 1000 "$RULES/rockyou-30000.rule" >"$OUTPUT/rockyou-1000.rule"

further=()
for list in "$@"; do further+=(--passwords "$list"); done
"$bin/filterlab" study catch --each-rule --peers 0 --most "$MOST" --words 600 --generated "$GENERATED" \
    --family common --filter "$OUTPUT/words.filter" --output "$OUTPUT" --rules "$RULES/best64.rule" \
    --rules "$OUTPUT/rockyou-1000.rule" "${further[@]}" "$OUTPUT/words" "$OUTPUT/english"
