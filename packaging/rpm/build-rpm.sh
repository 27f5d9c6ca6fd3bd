#!/bin/sh
# build-rpm.sh OUT [RPMBUILD-OPTION...]: build the RPM packages into OUT, in a scratch folder.
#
# Needs rpmbuild, python3 and cargo. Where toolchain or SELinux's policy are not rpm packages: --without
# rustpackages, --without selinux. PREBUILT=DIR takes libpam_nearmiss.so, filterctl, filterlab,
# nearmiss-agent, nearmiss-fetch and servers/ from DIR; NOCHECK=1 leaves the tests out.
set -eu

out=${1:?usage: build-rpm.sh OUT [RPMBUILD-OPTION...]}
shift
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
version=$("$source/packaging/version.sh" rpm)
# The clock of everything in the package: the day of the changelog's newest entry.
spec=$source/packaging/rpm/nearmiss.spec
day=$(sed -n '/^%changelog/{n;s/^\* \([A-Za-z]* [A-Za-z]* [0-9]* [0-9]*\) .*/\1/p}' "$spec")
SOURCE_DATE_EPOCH=$(date -u -d "$day 12:00" +%s)
export SOURCE_DATE_EPOCH

top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
mkdir "$top/SOURCES" "$top/named"
sed "s/^Version:.*/Version: $version/" "$spec" > "$top/nearmiss.spec"
"$source/packaging/version.sh" commit > "$top/named/commit"
tar --exclude='./target*' --exclude=./out --exclude=./.git --sort=name \
    --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --transform "s,^commit\$,./.commit,;s,^\.,nearmiss-$version," \
    -czf "$top/SOURCES/nearmiss-$version.tar.gz" \
    -C "$source" --exclude=./.commit . -C "$top/named" commit
rpmbuild -bb --define "_topdir $top" --define 'use_source_date_epoch_as_buildtime 1' \
    --define 'clamp_mtime_to_source_date_epoch 1' --define '_buildhost localhost' \
    --define '_localstatedir /var' --define '_libdir /usr/lib64' "$@" "$top/nearmiss.spec"
cp "$top"/RPMS/*/*.rpm "$out"/
