#!/bin/sh
# link.sh LIBRARY.a FOLDER: makes FOLDER/libnearmiss.so.1 of the archive that cargo built, with its name, the
# symbols and versions of nearmiss.map and nothing else, hardened; and FOLDER/libnearmiss.so, for linking
# programs with it.
set -eu
archive=${1:?usage: link.sh LIBRARY.a FOLDER}
folder=${2:?usage: link.sh LIBRARY.a FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
# nodelete: the standard library's thread-local destructors must not dangle after dlclose.
# shellcheck disable=SC2086  # lists of options
${CC:-cc} ${LDFLAGS:-} -shared -o "$folder/libnearmiss.so.1.new" \
    -Wl,-soname,libnearmiss.so.1 "-Wl,--version-script=$here/nearmiss.map" \
    -Wl,-z,relro,-z,now,-z,noexecstack,-z,defs,-z,nodelete -Wl,--gc-sections ${STRIP--Wl,--strip-all} \
    -Wl,--whole-archive "$archive" -Wl,--no-whole-archive -Wl,--as-needed -lgcc_s -lpthread -lm -ldl -lc
mv "$folder/libnearmiss.so.1.new" "$folder/libnearmiss.so.1"
ln -sf libnearmiss.so.1 "$folder/libnearmiss.so"
