#!/bin/sh
# Installs, by package name, what the tests need and this machine lacks. Nothing is installed when nothing
# is missing.
set -e

missing=
need() { # need PACKAGE TEST-COMMAND...
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

need python3 command -v python3
need gcc command -v cc
need libc6-dev test -e /usr/include/stdio.h
need binutils command -v readelf
need strace command -v strace
need util-linux command -v unshare
need passwd command -v chpasswd
need login test -x /bin/login
need libpam-runtime test -e /etc/pam.d/common-password
need libpam0g sh -c 'ldconfig -p | grep -q libpam.so.0'
need valgrind command -v valgrind
need wget command -v wget
need wamerican test -e /usr/share/dict/american-english
need wamerican-huge test -e /usr/share/dict/american-english-huge
need xz-utils command -v xz
need zstd command -v zstd
need openssl command -v openssl
need gettext command -v msgfmt
need debhelper command -v dh

if [ -n "$missing" ]; then
    echo "installing what the tests need:$missing"
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    $as_root apt-get update -qq
    # shellcheck disable=SC2086  # a list of names
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing
fi

# Servers are unpacked beside the build and never installed: an installed one would listen, and change the
# configuration of PAM. Tests that need one are skipped where it cannot be had.
unpacked=$(cd "$(dirname "$0")/../.." && pwd)/target/unpacked
unpack() { # unpack PACKAGE FILE
    [ ! -e "$2" ] && [ ! -e "$unpacked$2" ] || return 0
    folder=$(mktemp -d)
    if (cd "$folder" && apt-get download -qq "$1") > /dev/null 2>&1 && mkdir -p "$unpacked" &&
        dpkg-deb -x "$folder"/*.deb "$unpacked"; then
        echo "unpacked for the tests: $1"
    else
        echo "cannot be had for the tests: $1" >&2
    fi
    rm -rf "$folder"
}
unpack openssh-server /usr/sbin/sshd
unpack libwrap0 /usr/lib/x86_64-linux-gnu/libwrap.so.0
unpack fail2ban /usr/bin/fail2ban-regex
unpack redis-server /usr/bin/redis-server
unpack redis-tools /usr/bin/redis-check-rdb
unpack libjemalloc2 /usr/lib/x86_64-linux-gnu/libjemalloc.so.2
unpack liblzf1 /usr/lib/x86_64-linux-gnu/liblzf.so.1
unpack nftables /usr/sbin/nft
unpack libnftables1 /usr/lib/x86_64-linux-gnu/libnftables.so.1
unpack libnftnl11 /usr/lib/x86_64-linux-gnu/libnftnl.so.11
unpack libxtables12 /usr/lib/x86_64-linux-gnu/libxtables.so.12
unpack libjansson4 /usr/lib/x86_64-linux-gnu/libjansson.so.4
