#!/bin/sh
# Installs, by package name, what the tests need and this machine lacks. Nothing is installed when nothing
# is missing. What cannot be installed here is named before anything is built.
set -e
tools=$(cd "$(dirname "$0")" && pwd)
"$tools/builds.sh" "make test" 1.88

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
need iproute2 command -v ip
need openssh-client command -v ssh
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
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    for program in apt-get $as_root; do
        command -v "$program" > /dev/null || {
            echo "make test: needs these packages:$missing; there is no $program to install them" >&2
            exit 2
        }
    done
    echo "installing what the tests need:$missing"
    # Old lists of packages may do, and a machine that has just started may be installing something itself.
    $as_root apt-get update -qq || true
    # shellcheck disable=SC2086  # a list of names
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 $missing
fi
"$tools/builds.sh" "make test" 1.88 cc
"$tools/unpack.sh"
