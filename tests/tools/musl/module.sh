#!/bin/sh
# module.sh FOLDER FILTERCTL CARGO-OPTION...: builds the module for musl by the compiler of FOLDER
# (compiler.sh) and has a program on musl load it: what it says of a few passwords, and of a filter that is
# gone.
set -eu
cd "$(dirname "$0")/../../.."
folder=$1 filterctl=$2
shift 2
tools=tests/tools/musl
cc=$folder/bin/musl-cc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cc" -shared -fPIC -Wall -Werror -o "$folder/lib-for-rust/libpam.so.0" $tools/libpam.c \
    -Wl,-soname,libpam.so.0
ln -sf libpam.so.0 "$folder/lib-for-rust/libpam.so"
"$cc" -Wall -Werror -o "$work/change" $tools/change.c "$folder/lib-for-rust/libpam.so.0"
"${CARGO:-cargo}" build "$@" -p pam-nearmiss
module=$(find "$CARGO_TARGET_DIR/x86_64-unknown-linux-musl" -maxdepth 2 -name libpam_nearmiss.so)
"$filterctl" build --quiet --common --output "$work/words.filter"
cat > "$work/nearmiss.conf" << END
packaged = false
[[dictionary]]
file = "$work/words.filter"
END
change() {
    LD_LIBRARY_PATH=$folder/lib-for-rust "$work/change" "$module" "conf=$work/nearmiss.conf" retry=1 \
        enforce_for_root codes 2> "$work/log"
}

failed=0 tried=0
expect() { # PASSWORD WHAT
    said=$(echo "$1" | change | tr '\n' ' ')
    tried=$((tried + 1))
    # shellcheck disable=SC2254  # a pattern
    case $said in
        $2) ;;
        *) echo "musl: $1: '$said', not '$2'"; cat "$work/log"; failed=$((failed + 1)) ;;
    esac
}
expect password 'BAD PASSWORD: *[[]dictionary] 20 '
expect elephqnt1 'BAD PASSWORD: *[[]near-dictionary] 20 '
expect 'P4ssw0rd2026!' 'BAD PASSWORD: *] 20 '
expect 'Vq7#mzt0Lp2x' '0 '
rm "$work/words.filter"
expect 'Vq7#mzt0Lp2x' '*administrator*24 '
echo "torture: the module on musl: $tried tried, $((tried - failed)) held"
[ "$failed" = 0 ]
