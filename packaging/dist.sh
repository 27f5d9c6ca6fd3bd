#!/bin/sh
# dist.sh [OUT]: what a release consists of, made from the commit that is checked out, in OUT (out/dist):
#   nearmiss-VERSION.tar.xz      the source with the crates it needs on Linux; builds without a network
#   nearmiss_VERSION*            the Debian source package of the same tree
#   *.cdx.json                   bills of materials (CycloneDX) of the programs
#   NOTICES, crates.md           the licences of the crates that are linked, and what was read of them
#   SHA256SUMS                   checksums of all of them
# Two runs on one commit write the same bytes. Needs git, cargo, python3, xz, dpkg-dev and debhelper; crates
# are taken from cargo's cache or the registry.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
for program in git cargo python3 xz dpkg-buildpackage dh; do
    command -v "$program" >/dev/null || {
        echo "dist.sh: needs $program: apt-get install git python3 xz-utils dpkg-dev debhelper, and cargo" >&2
        exit 2
    }
done
if ! git diff --quiet HEAD || [ -n "$(git ls-files --others --exclude-standard)" ]; then
    echo "dist.sh: there are changes that are not committed: commit or stash them" >&2
    exit 2
fi
mkdir -p "${1:-out/dist}"
out=$(cd "${1:-out/dist}" && pwd)
if [ -n "$(ls -A "$out")" ]; then
    echo "dist.sh: $out is not empty: name another folder" >&2
    exit 2
fi

version=$(packaging/version.sh deb)
commit=$(packaging/version.sh commit)
export SOURCE_DATE_EPOCH="${commit##* }"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/nearmiss-$version

echo "source of ${commit%% *}"
git archive --prefix="nearmiss-$version/" HEAD | tar -C "$scratch" -xf -
echo "crates"
packaging/vendor.py "$tree"
find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
echo "archive"
tar -C "$scratch" --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w \
    -cf - "nearmiss-$version" |
    xz -6 -T1 > "$out/nearmiss-$version.tar.xz"
echo "Debian source package"
export ORIG="$out/nearmiss-$version.tar.xz"
"$tree/packaging/build-deb.sh" "$scratch/deb" source > "$scratch/log" 2>&1 || {
    cat "$scratch/log" >&2
    exit 1
}
# The other files there say which machine built it.
cp "$scratch"/deb/*.dsc "$scratch"/deb/*.orig.tar.xz "$scratch"/deb/*.debian.tar.xz "$out"
echo "bills of materials, licences, readings"
for program in pam-nearmiss filterctl filterlab nearmiss-agent nearmiss-fetch; do
    python3 packaging/sbom.py "$program" > "$out/$program.cdx.json"
done
python3 packaging/notices.py > "$out/NOTICES"
python3 packaging/crates.py > "$out/crates.md"
(cd "$out" && sha256sum -- * > "$scratch/sums" && mv "$scratch/sums" SHA256SUMS)
(cd "$out" && ls -l)
