#!/bin/sh
# build-deb.sh OUT [source]: build the Debian packages into OUT, in a scratch copy of this tree with debian/
# at its top; with "source", the source package that a distribution takes.
#
# Needs dpkg-dev, debhelper and the linker, python3, and a Rust toolchain: cargo and rustc in PATH (rustup's
# will do), CARGO_HOME where it is not ~/.cargo. PREBUILT=DIR takes libpam_nearmiss.so, filterctl, filterlab,
# nearmiss-agent and nearmiss-fetch from DIR and builds nothing. DEB_BUILD_PROFILES=pkg.nearmiss.nolab leaves
# nearmiss-lab out, pkg.nearmiss.nofleet nearmiss-agent, pkg.nearmiss.nofetch nearmiss-fetch. ORIG=FILE is the
# archive of the source that the source package takes, made of this tree; else one is made. The packages' own
# tests run (some minutes; an hour on a busy machine): DEB_BUILD_OPTIONS=nocheck leaves them out, parallel=N
# takes N processors.
set -eu

out=${1:?usage: build-deb.sh OUT [source]}
kind=${2:-binary}
source=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ -z "${PREBUILT:-}" ] || PREBUILT=$(cd "$PREBUILT" && pwd)
export PREBUILT="${PREBUILT:-}"

command -v dh >/dev/null || {
    echo "build-deb.sh: needs debhelper: apt-get install debhelper" >&2
    exit 2
}
case " ${DEB_BUILD_OPTIONS:-} " in
    *nocheck*) ;;
    *)
        [ "$kind" = source ] ||
            echo "build-deb.sh: runs the tests; DEB_BUILD_OPTIONS=nocheck leaves them out"
        ;;
esac

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$source/Cargo.toml")
packaged=$(dpkg-parsechangelog -l "$source/packaging/debian/changelog" -S Version)
if [ "${packaged%-*}" != "$version" ]; then
    echo "build-deb.sh: packaging/debian/changelog is of version ${packaged%-*}, Cargo.toml of $version" >&2
    exit 2
fi

version=$("$source/packaging/version.sh" deb)
commit=$("$source/packaging/version.sh" commit)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/nearmiss-$version
mkdir "$tree"
tar -C "$source" --anchored --no-wildcards-match-slash \
    --exclude='./target*' --exclude='./*/target' --exclude=./out --exclude=./.git -cf - . |
    tar -C "$tree" --no-same-owner -xf -
[ -z "$commit" ] || echo "$commit" > "$tree/.commit"
if [ "$kind" = source ]; then
    orig=$scratch/nearmiss_$version.orig.tar.xz
    if [ -n "${ORIG:-}" ]; then
        cp "$ORIG" "$orig"
    else
        tar -C "$scratch" --sort=name --owner=0 --group=0 --numeric-owner -cJf "$orig" "nearmiss-$version"
    fi
fi
cp -RL "$tree/packaging/debian" "$tree/debian"
# The packages of a commit before the release have an entry of their own in the changelog.
if [ "$version" != "${packaged%-*}" ]; then
    time=$(dpkg-parsechangelog -l "$tree/debian/changelog" -S Date)
    [ -z "$commit" ] || time=$(date -u -R -d "@${commit##* }")
    {
        printf 'nearmiss (%s-1) unstable; urgency=medium\n\n  * Built of commit %s.\n\n' "$version" \
            "${commit%% *}"
        printf ' -- %s  %s\n\n' "$(sed -n 's/^Maintainer: //p' "$tree/debian/control")" "$time"
        cat "$tree/debian/changelog"
    } > "$tree/debian/changelog.new"
    mv "$tree/debian/changelog.new" "$tree/debian/changelog"
fi

cd "$tree"
# debhelper gives HOME a new place; -d: a toolchain of rustup's is not a package.
export CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}"
dpkg-buildpackage --build="$kind" --unsigned-source --unsigned-changes -d
cd "$scratch"
find . -maxdepth 1 -type f -exec cp {} "$out"/ \;
