#!/bin/sh
# short.sh [FOLDER]: the short test of the Debian packages, around libpam_nearmiss.so and filterctl of FOLDER
# (target/release). Needs root; the Debian it runs in is this machine's own, on an overlay in memory:
# nothing is changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/built.sh"
exec "$here/private.sh" short.py "$binaries"
