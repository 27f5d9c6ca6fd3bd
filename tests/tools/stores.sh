#!/bin/sh
# stores.sh [COMMAND...]: runs the step `fleet` of torture.sh against Redis 8 and Valkey 8, or COMMAND with
# NEARMISS_STORE_SERVER naming each of them in turn. Beside busy loops, and for the time of a login, other
# stores are not tried: no version of a store has a part in them. The servers come from Debian 13: fetched
# from the mirror that this machine's apt is set up for, with package lists of their own, unpacked beside the
# build with the libraries that they need, and never installed. Where they cannot be had, it says so and does
# nothing.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
release=trixie
folder=$top/target/stores-$release

skip() {
    echo "SKIPPED: the stores of Debian 13: $1"
    exit 0
}

apt() { # apt ARGUMENT...: apt-get with lists, archives and a state of its own: nothing is installed there
    apt-get -q -q -o "Dir::State::lists=$folder/apt/lists" -o "Dir::State::status=$folder/apt/status" \
        -o "Dir::Cache=$folder/apt" -o "Dir::Etc::sourcelist=$folder/apt/sources.list" \
        -o Dir::Etc::sourceparts=- -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

fetch() { # both servers with all that they depend on
    mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
    : > "$folder/apt/status"
    # shellcheck disable=SC1091  # of the machine
    own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    # shellcheck disable=SC2016  # apt's own fields
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
        'Created-By: Packages' | sed -n "s/ $own main\$//p" | head -n 1)
    [ -n "$mirror" ] || return 1
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" \
        > "$folder/apt/sources.list"
    apt update || return 1
    apt -y --no-install-recommends --download-only install redis-server valkey-server || return 1
    mkdir "$folder/root"
    for package in "$folder"/apt/archives/*.deb; do
        dpkg-deb -x "$package" "$folder/root" || return 1
    done
}

command -v apt-get > /dev/null || skip "there is no apt-get here"
if [ ! -e "$folder/done" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    fetch > "$folder/log" 2>&1 || skip "they cannot be fetched ($folder/log)"
    rm -rf "$folder/apt"
    touch "$folder/done"
fi

# Another release's program runs by its own loader with its own libraries.
loader=$(find "$folder/root" -name 'ld-linux*.so.*' | head -n 1)
libraries=$(find "$folder/root/usr/lib" -maxdepth 1 -type d -name '*-linux-gnu*' | head -n 1)
[ -n "$loader" ] && [ -n "$libraries" ] || skip "no loader is among what was unpacked"

[ $# -gt 0 ] || set -- "$top/tests/tools/torture_step.sh" fleet
failed=0
for name in redis-server valkey-server; do
    server=$folder/$name
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' \
        "$loader" "$libraries" "$folder/root/usr/bin/$name" > "$server"
    chmod 755 "$server"
    version=$("$server" --version | sed -n 's/^\([A-Za-z]*\) server v=\([^ ]*\).*/\1 \2/p')
    [ -n "$version" ] || skip "$name does not run here"
    echo "== $version"
    if NEARMISS_STORE_SERVER=$server "$@"; then
        echo "torture: the fleet's tests hold with $version"
    else
        echo "FAILED with $version"
        failed=1
    fi
done
exit $failed
