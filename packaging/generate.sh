#!/bin/sh
# generate.sh FILTERCTL DIR: what packages hold beside the binaries: filterctl's manual pages (DIR/man/*.8) and
# completions, and a software bill of materials for each binary (*.cdx.json). The same bytes for the same source.
set -eu

filterctl=${1:?usage: generate.sh FILTERCTL DIR}
out=${2:?usage: generate.sh FILTERCTL DIR}
here=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$out/man"
"$filterctl" man "$out/man"
"$filterctl" completions bash > "$out/filterctl.bash"
"$filterctl" completions zsh > "$out/_filterctl"
"$filterctl" completions fish > "$out/filterctl.fish"
for package in pam-nearmiss filterctl; do
    python3 "$here/sbom.py" "$package" > "$out/$package.cdx.json"
done
