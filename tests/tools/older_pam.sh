#!/bin/sh
# older_pam.sh SOURCE FOLDER: compiles libpam.so.0 and pam_unix.so of an unpacked Linux-PAM 1.3.1 (RHEL 8)
# into FOLDER, for this machine: NEARMISS_OLDER_PAM=FOLDER has tests/systems.rs run the real passwd on them.
# What depends on more than libcrypt (NIS, SELinux, audit) is left out.
set -eu
source=${1:?usage: older_pam.sh SOURCE FOLDER}
folder=${2:?usage: older_pam.sh SOURCE FOLDER}
configuration=$(mktemp -d)
trap 'rm -rf "$configuration"' EXIT
modules=$(dirname "$(find /lib /usr/lib /lib64 /usr/lib64 -name pam_permit.so 2> /dev/null | head -n 1)")
cat > "$configuration/config.h" << CONFIG
#define _GNU_SOURCE 1
#define UNUSED __attribute__((unused))
#define HAVE_GETSPNAM_R 1
#define HAVE_GETPWUID_R 1
#define HAVE_GETPWNAM_R 1
#define HAVE_GETGRNAM_R 1
#define HAVE_GETGRGID_R 1
#define HAVE_GETGROUPLIST 1
#define HAVE_CRYPT_H 1
#define HAVE_CRYPT_R 1
#define HAVE_SHADOW_H 1
#define HAVE_LCKPWDF 1
#define HAVE_SYS_RESOURCE_H 1
#define BUF_SIZE 8192
#define PAM_PATH_RANDOMDEV "/dev/urandom"
#define PAM_USERTYPE_UIDMIN 1000
#define DEFAULT_MODULE_PATH "$modules/"
#define PAM_VERSION "1.3.1"
#define PACKAGE "Linux-PAM"
#define _(text) (text)
#define N_(text) (text)
CONFIG
: > "$configuration/libc_compat.h"

shared() { # TARGET MAP OPTION...
    target=$1 map=$2
    shift 2
    "${CC:-cc}" -shared -fPIC -O1 -w -include "$configuration/config.h" -I"$configuration" \
        -I"$source/libpam/include" -o "$target" "$@" -Wl,-z,defs -Wl,--version-script="$source/$map"
}

mkdir -p "$folder"
shared "$folder/libpam.so.0" libpam/libpam.map -I"$source/libpam" -DLIBPAM_COMPILE "$source"/libpam/*.c \
    -ldl -Wl,-soname,libpam.so.0
set --
for part in bigcrypt pam_unix_acct pam_unix_auth pam_unix_passwd pam_unix_sess support passverify \
    yppasswd_xdr md5_good md5_broken; do
    set -- "$@" "$source/modules/pam_unix/$part.c"
done
shared "$folder/pam_unix.so" modules/modules.map -I"$source/modules/pam_unix" \
    -DCHKPWD_HELPER='"/sbin/unix_chkpwd"' -DUPDATE_HELPER='"/sbin/unix_update"' "$@" \
    "$folder/libpam.so.0" -lcrypt
