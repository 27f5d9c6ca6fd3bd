# shellcheck shell=bash
# For scripts that measure beside other checkers; sets `checkers`, options of filterlab: pwquality with
# cracklib, and passwdqc. $output is the folder of the run: what is not installed is downloaded as Debian
# packages and unpacked there. A peer that cannot be run is named and left out.

fetch() { # fetch PACKAGE...: unpacks those that are not
    mkdir -p "$output/debs" "$output/peers"
    for package in "$@"; do
        test -e "$output/debs/$package.unpacked" && continue
        (cd "$output/debs" && apt-get download -qq "$package" 2>&1 | { grep -v unsandboxed || true; } >&2) &&
            dpkg -x "$output/debs/${package}_"*.deb "$output/peers" &&
            touch "$output/debs/$package.unpacked" || return 1
    done
}
left_out() { echo "left out: $1; $2" >&2; }

# pack NAME LIST...: these words as a dictionary of cracklib, $output/NAME
pack() {
    name=$1
    shift
    cracklib-format "$@" | cracklib-packer "$output/$name" >"$output/packed"
}

checkers=()
export LD_LIBRARY_PATH="$output/peers/usr/lib/$(gcc -dumpmachine 2>/dev/null || echo x86_64-linux-gnu)"
export PATH="$output/peers/usr/bin:$output/peers/usr/sbin:$PATH:/usr/sbin"
pwquality="tests/benches/peers/verdicts.py pwquality"
small=/usr/share/dict/cracklib-small
if [ -e $small ] && python3 -c 'import ctypes; ctypes.CDLL("libpwquality.so.1")' 2>"$output/missing" ||
    { fetch libpwquality1 libcrack2 cracklib-runtime && small=$output/peers$small; }; then
    pack cracklib "$small"
    checkers+=(--checker "pwquality + cracklib=$pwquality $output/cracklib")
else
    pwquality=
    left_out "pwquality + cracklib" "install libpwquality1 and cracklib-runtime"
fi
if command -v pwqcheck >"$output/found" || fetch passwdqc libpasswdqc1; then
    checkers+=(--checker "passwdqc=pwqcheck -1 --multi")
else
    left_out passwdqc "install passwdqc"
fi
