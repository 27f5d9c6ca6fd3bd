#!/bin/sh
# The whole test of the Debian packages; see packaging/README.md. Needs root; changes nothing outside its
# cache folder.
exec "$(dirname "$0")/private.sh" full.py
