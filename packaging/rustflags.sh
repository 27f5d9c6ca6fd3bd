#!/bin/sh
# rustflags.sh: what keeps the paths of the building machine out of the binaries, for RUSTFLAGS; with "c",
# for CFLAGS. The tree of this script becomes /usr/src/nearmiss, a crate crates/NAME-VERSION, wherever and
# by whatever registry cargo got it: builds in different places are identical. Fetches the crates, because
# only then it is known where they lie.
set -eu
flag=--remap-path-prefix
[ "${1:-}" != c ] || flag=-ffile-prefix-map
tree=$(cd "$(dirname "$0")/.." && pwd)
home=${CARGO_HOME:-$HOME/.cargo}

(cd "$tree" && cargo fetch --quiet --locked --target "$(rustc -vV | sed -n 's/^host: //p')")
printf '%s' "$flag=$tree=/usr/src/nearmiss $flag=$home=/usr/src/cargo"
for folder in "$home"/registry/src/*; do
    printf ' %s' "$flag=$folder=crates"
done
echo
