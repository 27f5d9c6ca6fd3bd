#!/bin/sh
# source.sh DIR: put into DIR what makepkg needs: the PKGBUILD and its companions, and the source as an archive.
set -eu
out=${1:?usage: source.sh DIR}
source=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^pkgver=//p' "$source/packaging/arch/PKGBUILD")
mkdir -p "$out"
cp "$source/packaging/arch/PKGBUILD" "$source/packaging/arch/pam-nearmiss.install" "$out"
tar -C "$source" --exclude='./target*' --exclude=./out --exclude=./.git --sort=name --owner=0 --group=0 --numeric-owner \
    --transform "s,^\.,nearmiss-$version," -czf "$out/nearmiss-$version.tar.gz" .
