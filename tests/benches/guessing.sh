#!/bin/bash
# Which share of accounts falls to 10⁴ … 10⁸ guesses (ranked words times hashcat's rules, in the order of
# rank times rank), for no policy, pwquality with cracklib, passwdqc, zxcvbn and nearmiss: the table and the
# picture in docs/measured.md. Two processors need a minute and a half with programs that are built.
#
# Usage: tests/benches/guessing.sh ACCOUNTS [WORDS...]
#   ACCOUNTS  the passwords of accounts, one per line; with COUNTS=1 VALUE|OCCURRENCE
#   WORDS     the attacker's words, the most common first; the built-in lists follow them
#   APART=10  for accounts that are in WORDS or in the built-in lists: only each tenth line of ACCOUNTS is
#             attacked, and its passwords are in none of the lists, neither the attacker's nor the filters'
#   FIRST=1   with APART: the first of these lines; KNOWN=1: the passwords stay in WORDS, so that the attacker
#             has them as they are and the filters do not
#   RULES     rule files, best first; default best64 and rockyou-30000 of hashcat-data
#   OUTPUT    default target/guessing; MOST: guesses, default 100000000
#
# Needs xz, cargo, Python and the Debian package hashcat-data; for peers libpwquality1, cracklib-runtime
# and passwdqc: what is not installed is downloaded and unpacked in OUTPUT. zxcvbn is Python's package
# zxcvbn-rs-py 0.3.0, in a venv in OUTPUT. A peer that cannot be run is named and left out.
set -euo pipefail
test $# -ge 1 || { sed -n '6,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
for list in "$@"; do test -r "$list" || { echo "cannot read $list" >&2; exit 2; }; done
lists=()
for list in "$@"; do lists+=("$(realpath "$list")"); done
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}" "${OUTPUT:=target/guessing}" "${MOST:=100000000}"
: "${COUNTS:=}" "${APART:=}" "${FIRST:=1}" "${KNOWN:=}"
# The accounts' passwords are copied.
umask 077
mkdir -p "$OUTPUT"
output=$(realpath "$OUTPUT")
bin=${BIN:-${CARGO_TARGET_DIR:-target}/release}
test -n "${BIN:-}" || $CARGO build --quiet --release -p filterctl -p filterlab

. tests/benches/peers/checkers.sh

if [ -z "${RULES:-}" ]; then
    hashcat=$(hashcat_rules) || { echo "install hashcat-data, or name rule files in RULES" >&2; exit 1; }
    RULES="$hashcat/best64.rule $hashcat/rockyou-30000.rule"
fi
for name in common everyday ranked; do
    xz -dc "packaging/wordlists/$name.lst.xz" > "$output/$name"
done
accounts=${lists[0]} ours=("$output/common" "$output/everyday" "$output/ranked") words=()
for at in "${!lists[@]}"; do
    test "$at" = 0 && continue
    cp -f "${lists[$at]}" "$output/words-$at"
    words+=("$output/words-$at")
done
if [ -n "$APART" ]; then
    without=("${ours[@]}")
    test -n "$KNOWN" || without+=("${words[@]}")
    held=$output/accounts
    tests/benches/peers/apart.py "$APART" "$FIRST" "${COUNTS:+1}" "$accounts" "$held" "${without[@]}"
    accounts=$held
fi

# As nearmiss-update builds the packaged filters.
key=000102030405060708090a0b0c0d0e0f
"$bin/filterctl" build --quiet --key $key -o "$output/words.filter" "$output/common"
"$bin/filterctl" build --quiet --key $key --match exact -o "$output/exact.filter" "${ours[@]:1}"

with_pwquality "pwquality + cracklib" cracklib "$small"
with_pwquality "pwquality with our words" cracklib-ours "${ours[@]}"
with_passwdqc
python=$output/venv/bin/python
if "$python" -c "import zxcvbn_rs_py" 2>/dev/null ||
    { python3 -m venv "$output/venv" && "$output/venv/bin/pip" install --quiet zxcvbn-rs-py==0.3.0; }; then
    checkers+=(--checker "zxcvbn with score 3=$python tests/benches/peers/verdicts.py zxcvbn")
else
    left_out zxcvbn "install zxcvbn-rs-py 0.3.0 from PyPI"
fi

options=(--filter "$output/words.filter" --filter "$output/exact.filter" --accounts "$accounts")
for rules in $RULES; do options+=(--rules "$rules"); done
if [ -n "$COUNTS" ]; then options+=(--counts); fi
"$bin/filterlab" study guessing --most-guesses "$MOST" "${options[@]}" "${checkers[@]}" --output "$OUTPUT" \
    "${words[@]}" "${ours[@]}"
