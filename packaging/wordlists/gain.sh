#!/bin/sh
# What the names, words, places, brands and teams of the built-in list add to its passwords and English
# words: the share rejected of passwords that neither of those has.
#
# Usage: packaging/wordlists/gain.sh PASSWORDS, one a line. FILTERCTL names the program.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
: "${FILTERCTL:=filterctl}"
first=144874 # passwords and English words: see PROVENANCE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

xz -dc "$here/common.lst.xz" >"$work/after.lst"
head -n "$first" "$work/after.lst" >"$work/before.lst"
key=000102030405060708090a0b0c0d0e0f
$FILTERCTL build --quiet --key $key --match exact --false-rejection 1e-9 \
    -o "$work/known.filter" "$work/before.lst"

# Of eight characters and more, and not in the first part.
cat >"$work/plain.conf" <<END
packaged = false
[policy]
two_words = false
digits_max = 0
repetition = false
sequences = false
distance_2 = false
[variants]
accents = false
leet = false
reversed = false
doubled = false
affixes = false
[context]
host = false
[[dictionary]]
file = "$work/known.filter"
END
$FILTERCTL check --conf "$work/plain.conf" --no-ladder --only accepted <"$1" >"$work/accepted" || [ $? = 1 ]
awk -F: 'NR == FNR { held[$1]; next } FNR in held' "$work/accepted" "$1" >"$work/held"

echo "$(wc -l <"$work/held") passwords held back"
for part in before after; do
    $FILTERCTL build --quiet --key $key -o "$work/$part.filter" "$work/$part.lst"
    $FILTERCTL check --filter "$work/$part.filter" --summary <"$work/held" >"$work/summary" || [ $? = 1 ]
    awk -v part=$part '{ gsub(",", "") } $1 == "checked" { all = $2 } $1 == "rejected" { some = $2 }
        END { printf "%-6s %s rejected, %.1f %%\n", part, some, 100 * some / all }' "$work/summary"
done
