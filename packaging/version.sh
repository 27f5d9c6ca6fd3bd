#!/bin/sh
# version.sh KIND: the version of packages that are built of this tree; KIND is deb, rpm, arch or alpine, each
# with its own way to say "before the release". With "commit": the commit, and its time in seconds.
#
# A release has exactly the version of packaging/debian/changelog. While the changelog's newest entry is
# UNRELEASED, the version has the time and the name of the commit as well: a later commit sorts higher, the
# release higher than all of them. Where the commit is: NEARMISS_COMMIT ("commit seconds"), else .commit in an
# archive of the source, else the repository.
set -eu
kind=${1:?usage: version.sh deb|rpm|arch|alpine|commit}
tree=$(cd "$(dirname "$0")/.." && pwd)

commit() {
    if [ -n "${NEARMISS_COMMIT:-}" ]; then
        echo "$NEARMISS_COMMIT"
    elif [ "$(head -c 1 "$tree/.commit" 2>/dev/null)" != '$' ] && [ -s "$tree/.commit" ]; then
        cat "$tree/.commit"
    elif [ "$(git -C "$tree" rev-parse --show-toplevel 2>/dev/null)" = "$tree" ]; then
        git -C "$tree" log -1 --format='%H %ct'
    fi
}

commit=$(commit)
if [ "$kind" = commit ]; then
    echo "$commit"
    exit
fi
entry=$(sed -n '1p' "$tree/packaging/debian/changelog")
version=$(echo "$entry" | sed -n 's/^[^(]*(\([^)]*\)-[^)-]*).*/\1/p')
case "$entry" in
    *UNRELEASED*) ;;
    *)
        echo "$version"
        exit
        ;;
esac
# Without a commit the version sorts below every one that has one.
name=${commit%% *} seconds=${commit##* }
time=$(date -u -d "@${seconds:-0}" +%Y%m%d%H%M%S)
name=$(printf '%.12s' "${name:-unknown}")
case "$kind" in
    deb | rpm) echo "$version~git$time.$name" ;;
    arch) echo "${version}git$time.$name" ;;
    alpine) echo "${version}_pre$time" ;;
    *)
        echo "version.sh: unknown kind $kind" >&2
        exit 2
        ;;
esac
