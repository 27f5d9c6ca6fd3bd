#!/bin/sh
# compiler.sh FOLDER: makes FOLDER/bin/musl-cc, which compiles for musl with this machine's gcc and what
# Debian's packages musl, musl-dev and musl-tools have below FOLDER, unpacked and not installed. What it
# makes is run by the C library there.
set -eu
folder=${1:?usage: compiler.sh FOLDER}
library=$folder/usr/lib/x86_64-linux-musl
mkdir -p "$folder/bin" "$folder/lib-for-rust"
# One folder on a system where /lib is /usr/lib.
cp -f "$folder/lib/x86_64-linux-musl/libc.so" "$library/"
sed -e "s,/usr/,$folder/usr/,g" -e "s,/lib/ld-musl-[^ ]*,$library/libc.so," "$library/musl-gcc.specs" \
    > "$folder/bin/musl.specs"
printf '#!/bin/sh\nexec "${REALGCC:-gcc}" "$@" -specs "%s"\n' "$folder/bin/musl.specs" > "$folder/bin/musl-cc"
chmod +x "$folder/bin/musl-cc"
# Rust asks for a shared unwinder, which Debian has for glibc alone; gcc's static one asks glibc one question.
"$folder/bin/musl-cc" -fPIC -O1 -Wall -Werror -c -o "$folder/lib-for-rust/find_object.o" \
    "$(dirname "$0")/find_object.c"
echo "INPUT($(gcc -print-file-name=libgcc_eh.a) $folder/lib-for-rust/find_object.o)" \
    > "$folder/lib-for-rust/libgcc_s.a"
