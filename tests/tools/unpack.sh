#!/bin/sh
# unpack.sh [store]   unpacks servers beside the build, in target/unpacked, where this machine lacks them:
# the packages of the fleet's store, or all that the tests start. They are never installed: an installed one
# would listen, and change the configuration of PAM. What needs one that cannot be had is skipped, or says so.
set -eu
unpacked=$(cd "$(dirname "$0")/../.." && pwd)/target/unpacked
is_updated=

download() { # download PACKAGE: into the working folder; a fresh machine may have no lists of packages yet
    apt-get download -qq -o Acquire::Retries=3 "$1" > /dev/null 2>&1 && return 0
    [ "$(id -u)" = 0 ] && [ -z "$is_updated" ] || return 1
    is_updated=1
    apt-get update -qq > /dev/null 2>&1 || true
    apt-get download -qq -o Acquire::Retries=3 "$1" > /dev/null 2>&1
}

unpack() { # unpack PACKAGE FILE
    [ ! -e "$2" ] && [ ! -e "$unpacked$2" ] || return 0
    folder=$(mktemp -d)
    if cd "$folder" && download "$1" && mkdir -p "$unpacked" && dpkg-deb -x "$folder"/*.deb "$unpacked"; then
        # Modules of PAM lie in /lib in some packages, which is a link to /usr/lib on the machine.
        if [ -d "$unpacked/lib" ]; then
            mkdir -p "$unpacked/usr/lib" && cp -a "$unpacked/lib/." "$unpacked/usr/lib/"
            rm -r "$unpacked/lib"
        fi
        echo "unpacked beside the build: $1"
    else
        echo "cannot be had on this machine: $1" >&2
    fi
    cd /
    rm -rf "$folder"
}

unpack redis-server /usr/bin/redis-server
unpack redis-tools /usr/bin/redis-check-rdb
unpack libjemalloc2 /usr/lib/x86_64-linux-gnu/libjemalloc.so.2
unpack liblzf1 /usr/lib/x86_64-linux-gnu/liblzf.so.1
[ "${1:-}" != store ] || exit 0
unpack libpam-pwquality /usr/lib/x86_64-linux-gnu/security/pam_pwquality.so
unpack libpwquality1 /usr/lib/x86_64-linux-gnu/libpwquality.so.1
unpack libcrack2 /usr/lib/x86_64-linux-gnu/libcrack.so.2
unpack libpam-passwdqc /usr/lib/x86_64-linux-gnu/security/pam_passwdqc.so
unpack libpasswdqc1 /usr/lib/x86_64-linux-gnu/libpasswdqc.so.1
unpack libpam-script /usr/lib/x86_64-linux-gnu/security/pam_script.so
unpack libpam-ldapd /usr/lib/x86_64-linux-gnu/security/pam_ldap.so
unpack libpam-sss /usr/lib/x86_64-linux-gnu/security/pam_sss.so
unpack libpam-krb5 /usr/lib/x86_64-linux-gnu/security/pam_krb5.so
unpack libpam-gnome-keyring /usr/lib/x86_64-linux-gnu/security/pam_gnome_keyring.so
unpack systemd-homed /usr/lib/x86_64-linux-gnu/security/pam_systemd_home.so
unpack libpam-winbind /usr/lib/x86_64-linux-gnu/security/pam_winbind.so
unpack libwbclient0 /usr/lib/x86_64-linux-gnu/libwbclient.so.0
unpack libtalloc2 /usr/lib/x86_64-linux-gnu/libtalloc.so.2
unpack prometheus /usr/bin/promtool
unpack openssh-server /usr/sbin/sshd
unpack libwrap0 /usr/lib/x86_64-linux-gnu/libwrap.so.0
unpack fail2ban /usr/bin/fail2ban-regex
unpack nftables /usr/sbin/nft
unpack libnftables1 /usr/lib/x86_64-linux-gnu/libnftables.so.1
unpack libnftnl11 /usr/lib/x86_64-linux-gnu/libnftnl.so.11
unpack libxtables12 /usr/lib/x86_64-linux-gnu/libxtables.so.12
unpack libjansson4 /usr/lib/x86_64-linux-gnu/libjansson.so.4
