#!/bin/sh
# pam_unix.sh SOURCE MODULE: compiles the pam_unix.so of an unpacked Linux-PAM (1.7 or later) as MODULE, for
# this machine's libpam: NEARMISS_PAM_UNIX=MODULE has the tests of forced changes run with it, too. What
# depends on more than libcrypt (NIS, SELinux, audit) is left out.
set -eu
source=${1:?usage: pam_unix.sh SOURCE MODULE}
module=${2:?usage: pam_unix.sh SOURCE MODULE}
configuration=$(mktemp -d)
trap 'rm -rf "$configuration"' EXIT
cat >"$configuration/config.h" <<'CONFIG'
#define _GNU_SOURCE 1
#define UNUSED __attribute__((unused))
#define HAVE_CRYPT_H 1
#define HAVE_CRYPT_R 1
#define HAVE_CRYPT_GENSALT_R 1
#define HAVE_SHADOW_H 1
#define HAVE_GETSPNAM_R 1
#define HAVE_EXPLICIT_BZERO 1
#define HAVE_GETRANDOM 1
#define HAVE_SYS_RANDOM_H 1
#define HAVE_LCKPWDF 1
#define PAM_PATH_RANDOMDEV "/dev/urandom"
#define PAM_USERTYPE_UIDMIN 1000
#define PAM_USERTYPE_SYSUIDMIN 101
#define PAM_USERTYPE_OVERFLOW_UID 65534
#define DEFAULT_CRYPT_ALGO "yescrypt"
#define SCONFIG_DIR "/etc/security"
#define PACKAGE "Linux-PAM"
#define _(text) (text)
#define N_(text) (text)
CONFIG
parts=
for part in bigcrypt pam_unix_acct pam_unix_auth pam_unix_passwd pam_unix_sess support passverify md5_good \
    md5_broken; do
    parts="$parts $source/modules/pam_unix/$part.c"
done
# shellcheck disable=SC2086  # a list of names
${CC:-cc} -shared -fPIC -O1 -w -include "$configuration/config.h" -I"$configuration" \
    -I"$source/libpam/include" -I"$source/libpam_internal/include" -I"$source/modules/pam_unix" \
    -DCHKPWD_HELPER='"/sbin/unix_chkpwd"' -DUPDATE_HELPER='"/sbin/unix_update"' -o "$module" $parts \
    -l:libpam.so.0 -lcrypt -Wl,-z,defs -Wl,--version-script="$source/modules/pam_unix/module.map"
