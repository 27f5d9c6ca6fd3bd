#!/bin/sh
# generate.sh PROGRAM DIR: what packages hold beside filterctl, filterlab or nearmiss-fetch: its manual pages
# (DIR/man/*.8 or *.1), its completions, a software bill of materials (DIR/*.cdx.json) and the licences of the
# crates that are linked into it (DIR/NAME/NOTICES); with filterctl, both of the module, and the licences of
# all linked crates (DIR/NOTICES), too. The same bytes for the same source; cargo is asked for what the build
# has: no network is needed.
set -eu

program=${1:?usage: generate.sh PROGRAM DIR}
out=${2:?usage: generate.sh PROGRAM DIR}
here=$(cd "$(dirname "$0")" && pwd)
name=$(basename "$program")

mkdir -p "$out/man"
"$program" man --output "$out/man"
"$program" completions bash > "$out/$name.bash"
"$program" completions zsh > "$out/_$name"
"$program" completions fish > "$out/$name.fish"
case $name in
filterctl)
    packages="pam-nearmiss filterctl"
    python3 "$here/notices.py" > "$out/NOTICES"
    ;;
*) packages=$name ;;
esac
for package in $packages; do
    python3 "$here/sbom.py" "$package" > "$out/$package.cdx.json"
    mkdir -p "$out/$package"
    python3 "$here/notices.py" "$package" > "$out/$package/NOTICES"
done
