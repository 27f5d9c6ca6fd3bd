# shellcheck shell=sh disable=SC2034,SC2154
# For scripts of this folder ($here) that test what is built: `binaries`, the folder of their first argument
# or target/release. Ends them where libpam_nearmiss.so or filterctl is not in it.
binaries=${1:-${CARGO_TARGET_DIR:-$here/../../target}/release}
for name in libpam_nearmiss.so filterctl; do
    [ -e "$binaries/$name" ] && continue
    echo "${0##*/}: there is no $binaries/$name; build it: cargo build --release" >&2
    exit 2
done
binaries=$(cd "$binaries" && pwd)
