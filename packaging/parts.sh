#!/bin/sh
# parts.sh ROOT BUILT PART...: put parts that are packages of their own below ROOT: agent, fetch, library,
# development, cracklib, krb5, openldap, mariadb, postgresql. BUILT has nearmiss-agent, nearmiss-fetch, and in
# servers/ what packaging/servers.sh makes; GENERATED is the folder of packaging/generate.sh for
# nearmiss-fetch.
#
# The distribution's folders, by variables, with the usual ones where they are not set: PREFIX, LIBDIR,
# SBINDIR, UNITDIR (- where there is no systemd), ZSH, KRB5, OPENLDAP, MARIADB; and POSTGRESQL with
# POSTGRESQL_RELEASE where all releases have one folder. VERSION is for pkg-config.
set -eu

root=${1:?usage: parts.sh ROOT BUILT PART...}
built=${2:?usage: parts.sh ROOT BUILT PART...}
shift 2
source=$(cd "$(dirname "$0")/.." && pwd)
servers=$built/servers
prefix=${PREFIX-/usr}
libdir=${LIBDIR:-$prefix/lib}
sbindir=${SBINDIR:-$prefix/sbin}
units=${UNITDIR:-$prefix/lib/systemd/system}
man=$prefix/share/man
version=${VERSION:-$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/Cargo.toml" | head -1)}
# What the manual nearmiss(3) describes.
functions="check free open reason_code record version"

file() { # MODE FILE TARGET
    install -D -m "$1" "$2" "$root$3"
}

manual() { # SOURCE: its section is the end of its name
    file 0644 "$source/$1" "$man/man${1##*.}/$(basename "$1")"
}

unit() { # SOURCE: it names the programs where they are put
    install -d "$root$units"
    sed "s,/usr/sbin/,$sbindir/," "$source/$1" > "$root$units/${1##*/}"
    chmod 0644 "$root$units/${1##*/}"
}

agent() {
    file 0755 "$built/nearmiss-agent" "$sbindir/nearmiss-agent"
    file 0644 "$source/packaging/fleet/agent.toml" /etc/nearmiss-agent/agent.toml
    for example in agent.toml redis.conf users.acl; do
        file 0644 "$source/packaging/fleet/$example" "$prefix/share/doc/nearmiss-agent/examples/$example"
    done
    manual packaging/man/nearmiss-agent.8
    [ "$units" = - ] && return
    file 0644 "$source/packaging/fleet/sysusers.conf" "$prefix/lib/sysusers.d/nearmiss-agent.conf"
    for name in agent.service agent.socket watch.service watch.timer; do
        unit "packaging/fleet/nearmiss-$name"
    done
}

fetch() {
    generated=${GENERATED:?parts.sh: GENERATED is the folder of packaging/generate.sh for nearmiss-fetch}
    file 0755 "$built/nearmiss-fetch" "$sbindir/nearmiss-fetch"
    for page in "$generated"/man/*.8; do
        file 0644 "$page" "$man/man8/${page##*/}"
    done
    file 0644 "$generated/nearmiss-fetch.bash" "$prefix/share/bash-completion/completions/nearmiss-fetch"
    file 0644 "$generated/_nearmiss-fetch" "${ZSH:-$prefix/share/zsh/site-functions}/_nearmiss-fetch"
    file 0644 "$generated/nearmiss-fetch.fish" \
        "$prefix/share/fish/vendor_completions.d/nearmiss-fetch.fish"
    file 0644 "$generated/nearmiss-fetch.cdx.json" "$prefix/share/doc/nearmiss-fetch/sbom.cdx.json"
    [ "$units" = - ] && return
    for name in fetch.service fetch.timer breaches.service; do
        unit "packaging/fetch/nearmiss-$name"
    done
    file 0644 "$source/packaging/fetch/nearmiss-filter.conf" \
        "$units/nearmiss-filter.service.d/nearmiss-fetch.conf"
}

library() {
    file 0644 "$servers/libnearmiss.so.1" "$libdir/libnearmiss.so.1"
}

development() {
    file 0644 "$source/crates/capi/include/nearmiss.h" "$prefix/include/nearmiss.h"
    install -d "$root$libdir/pkgconfig"
    ln -sf libnearmiss.so.1 "$root$libdir/libnearmiss.so"
    sed -e "s,@prefix@,$prefix," -e "s,@libdir@,$libdir," -e "s,@version@,$version," \
        "$source/crates/capi/nearmiss.pc.in" > "$root$libdir/pkgconfig/nearmiss.pc"
    manual crates/capi/man/nearmiss.3
    for function in $functions; do
        ln -sf nearmiss.3 "$root$man/man3/nearmiss_$function.3"
    done
}

cracklib() {
    file 0644 "$servers/libcrack.so.2" "$libdir/nearmiss/libcrack.so.2"
    file 0644 "$servers/common.filter" "$prefix/share/nearmiss/common.filter"
    ln -sf common.filter "$root$prefix/share/nearmiss/common.filter.pwd"
    install -d "$root/etc/ld.so.conf.d"
    echo "$libdir/nearmiss" > "$root/etc/ld.so.conf.d/00-nearmiss.conf"
    manual crates/cracklib/man/nearmiss-cracklib.8
}

krb5() {
    file 0644 "$servers/nearmiss_pwqual.so" "${KRB5:-$libdir/krb5/plugins}/pwqual/nearmiss_pwqual.so"
    manual crates/mit-krb5/man/nearmiss_pwqual.8
}

openldap() {
    for module in "$servers"/nearmiss_ppolicy*.so; do
        file 0644 "$module" "${OPENLDAP:-$libdir/openldap}/$(basename "$module")"
    done
    manual crates/openldap/man/nearmiss_ppolicy.8
}

mariadb() {
    file 0644 "$servers/nearmiss_password_check.so" \
        "${MARIADB:-$libdir/mariadb/plugin}/nearmiss_password_check.so"
    manual crates/mariadb/man/nearmiss_password_check.8
}

postgresql() {
    if [ -n "${POSTGRESQL_RELEASE:-}" ]; then
        file 0644 "$servers/postgresql/$POSTGRESQL_RELEASE/nearmiss_pg.so" \
            "${POSTGRESQL:-$libdir/postgresql}/nearmiss_pg.so"
    else
        for folder in "$servers"/postgresql/*; do
            file 0644 "$folder/nearmiss_pg.so" "$prefix/lib/postgresql/${folder##*/}/lib/nearmiss_pg.so"
        done
    fi
    manual crates/postgresql/man/nearmiss_pg.8
}

for part; do
    case $part in
        agent | fetch | library | development | cracklib | krb5 | openldap | mariadb | postgresql) "$part" ;;
        *) echo "parts.sh: there is no part '$part'" >&2; exit 2 ;;
    esac
done
