#!/bin/bash
# What each rule of the policy catches, and the formats of generated passwords that the policy rejects: two
# tables of docs/measured.md; and the policy beside pwquality and passwdqc: the table of docs/why.md. Two
# processors need a quarter of an hour.
#
# Usage: tests/benches/catch.sh [--write]   prints the tables; --write puts them into the pages
#
# Needs xz, cargo, pip and Python. Three things are fetched by name: rule files (Debian's hashcat-data), words
# of passphrases (PyPI's mnemonic and xkcdpass) and the two other checkers (Debian's), unless they are
# installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
write=${1:-}
case $write in "" | --write) ;; *) sed -n '6s/^# //p' "$0" >&2; exit 2 ;; esac
output=${CARGO_TARGET_DIR:-$PWD/target}/catch
bin=${BIN:-${CARGO_TARGET_DIR:-$PWD/target}/release}
commit=$(git rev-parse --short HEAD)
[ -z "$(git status --porcelain -- . ':!tests/benches/RESULTS.md' ':!tests/benches/scaling.svg' \
    ':!docs/measured.md' ':!docs/why.md')" ] || commit="$commit with changes"
test -n "${BIN:-}" || "${CARGO:-cargo}" build --quiet --release -p filterctl -p filterlab
mkdir -p "$output/fetched"

. tests/benches/peers/checkers.sh
rules=$(hashcat_rules)
words=$output/fetched/words
[ -e "$words/xkcdpass/static/eff-long" ] ||
    python3 -m pip install --quiet --no-deps --root-user-action ignore --target "$words" \
        mnemonic==0.21 xkcdpass==1.30.0

# The packaged filters, without each tenth of the ranked passwords, which are tried.
for name in common everyday ranked; do
    xz -dc "packaging/wordlists/$name.lst.xz" >"$output/$name"
done
tests/benches/peers/apart.py 10 1 0 "$output/ranked" "$output/held-back" \
    "$output/common" "$output/everyday" "$output/ranked"
key=000102030405060708090a0b0c0d0e0f
"$bin/filterctl" build --quiet --key $key -o "$output/words.filter" "$output/common"
"$bin/filterctl" build --quiet --key $key --match exact -o "$output/exact.filter" \
    "$output/everyday" "$output/ranked"

# Rules are applied to 300 English words of 6 to 12 letters and to the 300 most common passwords. Generated
# passwords of words are made of each of four lists.
xz -dc packaging/wordlists/common.lst.xz | sed -n '55863,144874p' >"$output/scowl"
grep -E '^[a-z]{6,12}$' "$output/scowl" | shuf -n 300 --random-source=<(yes) >"$output/tried"
head -n 300 "$output/common" >>"$output/tried"
head -n 1000 "$rules/rockyou-30000.rule" >"$output/rockyou-1000.rule"
cp "$words/mnemonic/wordlist/english.txt" "$output/bip39"
cp "$words/xkcdpass/static/eff-long" "$words/xkcdpass/static/eff-short" "$output"
cp packaging/wordlists/suggest.lst "$output/suggestions"
phrases=()
for list in bip39 eff-long eff-short suggestions; do phrases+=(--phrases "$output/$list"); done

study() { # study FOLDER OPTION...
    folder=$1
    shift
    "$bin/filterlab" study catch --quiet --filter "$output/words.filter" \
        --passwords "$output/held-back" "${phrases[@]}" --generated "${GENERATED:-10000}" \
        --output "$output/$folder" "$@"
}
# As Debian's cracklib-runtime recommends.
english=/usr/share/dict/american-english
[ -e $english ] || { fetch wamerican && english=$output/peers$english; }
with_pwquality "pwquality with cracklib" cracklib "$small" "$english"
with_passwdqc
files=("$output/rockyou-1000.rule")
for name in best64 T0XlC leetspeak InsidePro-PasswordsPro generated2; do files+=("$rules/$name.rule"); done
exact=(--filter "$output/exact.filter")
guesses=(--words 600 --family common "${files[@]/#/--rules=}" "$output/tried")
most=(--most "${MOST:-30000}")
study formats "${exact[@]}" &
formats=$!
study rules "${exact[@]}" --each-rule "${most[@]}" "${guesses[@]}"
study near "${most[@]}" "${guesses[@]}"
# The other checkers are slow.
phrases=(--phrases "$output/eff-long")
GENERATED=3000 study beside "${exact[@]}" "${checkers[@]}" --checked 3000 --most 3000 "${guesses[@]}"
wait $formats
exec tests/benches/peers/catch.py "$output" "$commit" $write
