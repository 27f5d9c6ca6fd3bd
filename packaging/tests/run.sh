#!/bin/sh
# The whole test of the Debian packages, and of the servers that ask nearmiss; see packaging/README.md. Needs
# root; changes nothing outside its cache folder and cargo's.
set -eu
here=$(dirname "$0")
"$here/private.sh" full.py
exec "$here/servers.sh"
