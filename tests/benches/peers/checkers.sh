# shellcheck shell=bash disable=SC2154
# For scripts that measure beside other checkers: a function for each adds it to `checkers`, options of
# filterlab. $output is the folder of the run: what is not installed is downloaded as Debian packages and
# unpacked there, rule files as well. A peer that cannot be run is named and left out.

fetch() { # fetch PACKAGE...: unpacks those that are not
    mkdir -p "$output/debs" "$output/peers"
    for package in "$@"; do
        test -e "$output/debs/$package.unpacked" && continue
        (cd "$output/debs" && apt-get download -qq "$package" 2>&1 | { grep -v unsandboxed || true; } >&2) &&
            dpkg -x "$output/debs/${package}_"*.deb "$output/peers" &&
            touch "$output/debs/$package.unpacked" || return 1
    done
}
# The folder of hashcat's rule files.
hashcat_rules() {
    installed=/usr/share/hashcat/rules
    if [ -e $installed/best64.rule ]; then
        echo $installed
    else
        fetch hashcat-data && echo "$output/peers$installed"
    fi
}
left_out() { echo "left out: $1; $2" >&2; }

# with_pwquality NAME FILE LIST...: pwquality with a dictionary of cracklib, $output/FILE, of these words
with_pwquality() {
    [ -n "$small" ] || return 0
    name=$1 dictionary=$output/$2
    shift 2
    cracklib-format "$@" | cracklib-packer "$dictionary" >"$output/packed"
    checkers+=(--checker "$name=tests/benches/peers/verdicts.py pwquality $dictionary")
}

with_passwdqc() {
    if command -v pwqcheck >"$output/found" || fetch passwdqc libpasswdqc1; then
        checkers+=(--checker "passwdqc=pwqcheck -1 --multi")
    else
        left_out passwdqc "install passwdqc"
    fi
}

checkers=()
machine=$(gcc -dumpmachine 2>/dev/null || echo x86_64-linux-gnu)
export LD_LIBRARY_PATH="$output/peers/usr/lib/$machine"
export PATH="$output/peers/usr/bin:$output/peers/usr/sbin:$PATH:/usr/sbin"
# The words that cracklib brings.
small=/usr/share/dict/cracklib-small
loads="import ctypes; ctypes.CDLL('libpwquality.so.1')"
if ! { [ -e $small ] && python3 -c "$loads" 2>"$output/missing"; }; then
    small=$output/peers$small
    if ! fetch libpwquality1 libcrack2 cracklib-runtime; then
        small=
        left_out pwquality "install libpwquality1 and cracklib-runtime"
    fi
fi
