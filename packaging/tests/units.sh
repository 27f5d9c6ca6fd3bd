#!/bin/sh
# units.sh [FOLDER]: the units of the packages under systemd, in a guest with a kernel of Debian's, around the
# programs of FOLDER (target/release). Needs root; changes nothing outside its cache folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/built.sh"
exec "$here/private.sh" units.py "$binaries"
