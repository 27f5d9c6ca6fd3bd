#!/bin/sh
# servers.sh FOLDER: builds what checks passwords outside of PAM (libnearmiss, the drop-in for libcrack, the
# servers' plugins, the filter that anyone may read) and puts it into FOLDER under its installed names.
#
# PROFILE=NAME takes another profile of cargo's than release, CARGO another cargo; CARGO_FLAGS are further
# arguments (--locked). NEARMISS_LIBCRACK is where the system has its libcrack.so.2: see the build script
# of crates/cracklib.
set -eu
out=${1:?usage: servers.sh FOLDER}
source=$(cd "$(dirname "$0")/.." && pwd)
profile=${PROFILE:-release}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$source"
folder=$profile
[ "$profile" = dev ] && folder=debug
built=${CARGO_TARGET_DIR:-target}/$folder
releases="15 16 17 18"

build() {
    # shellcheck disable=SC2086  # a list of arguments
    ${CARGO:-cargo} build --profile "$profile" ${CARGO_FLAGS:-} "$@"
}

build -p nearmiss-capi -p nearmiss-cracklib -p nearmiss-mit-krb5 -p nearmiss-mariadb -p filterctl
crates/capi/link.sh "$built/libnearmiss.a" "$out"
install -m 0644 "$built/libnearmiss_crack.so" "$out/libcrack.so.2"
install -m 0644 "$built/libnearmiss_pwqual.so" "$out/nearmiss_pwqual.so"
install -m 0644 "$built/libnearmiss_password_check.so" "$out/nearmiss_password_check.so"
for release in 4 5; do
    build -p nearmiss-openldap --features "nearmiss-openldap/openldap-2-$release"
    install -m 0644 "$built/libnearmiss_ppolicy.so" "$out/nearmiss_ppolicy2$release.so"
done
build -p nearmiss-openldap
install -m 0644 "$built/libnearmiss_ppolicy.so" "$out/nearmiss_ppolicy.so"
for release in $releases; do
    NEARMISS_POSTGRESQL=$release build -p nearmiss-postgresql
    install -D -m 0644 "$built/libnearmiss_pg.so" "$out/postgresql/$release/nearmiss_pg.so"
done
# Anyone may read this filter, its key is no secret, and two builds give the same bytes.
key=6e6561726d6973732d7075626c696331
"$built/filterctl" build --common --public --key "$key" --output "$out/common.filter" >/dev/null
# Some callers of cracklib look for their dictionary under its name with this behind it.
ln -sf common.filter "$out/common.filter.pwd"
