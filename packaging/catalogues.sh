#!/bin/sh
# catalogues.sh FOLDER: write the catalogue of each language, nearmiss.mo, into FOLDER as it is laid out in
# /usr/share/locale. Needs msgfmt (gettext).
set -eu
folder=${1:?usage: catalogues.sh FOLDER}
source=$(cd "$(dirname "$0")/po" && pwd)
for catalogue in "$source"/*.po; do
    language=$(basename "$catalogue" .po)
    mkdir -p "$folder/$language/LC_MESSAGES"
    # A hash table would be for libc, which does not read these.
    msgfmt --check-format --check-domain --no-hash -o "$folder/$language/LC_MESSAGES/nearmiss.mo" "$catalogue"
    chmod 0644 "$folder/$language/LC_MESSAGES/nearmiss.mo"
done
