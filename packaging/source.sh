#!/bin/sh
# source.sh arch|alpine DIR: put into DIR what makepkg or abuild needs: the recipe with its companions, and
# the source as an archive.
set -eu
kind=${1:?usage: source.sh arch|alpine DIR}
out=${2:?usage: source.sh arch|alpine DIR}
source=$(cd "$(dirname "$0")/.." && pwd)
version=$("$source/packaging/version.sh" "$kind")
mkdir -p "$out"
cp "$source/packaging/$kind"/* "$out"
sed -i "s/^pkgver=.*/pkgver=$version/" "$out"/*BUILD
named=$(mktemp -d)
trap 'rm -rf "$named"' EXIT
"$source/packaging/version.sh" commit > "$named/commit"
tar --anchored --no-wildcards-match-slash --exclude='./target*' --exclude='./*/target' \
    --exclude=./out --exclude=./.git --sort=name \
    --owner=0 --group=0 --numeric-owner \
    --transform "s,^commit\$,./.commit,;s,^\.,nearmiss-$version," -czf "$out/nearmiss-$version.tar.gz" \
    -C "$source" --exclude=./.commit . -C "$named" commit
