#!/bin/sh
# build.sh [OUT]: builds the wheel of the Python package into OUT (out/python), and tests it, installed in an
# environment of its own, with the libnearmiss of this tree and the newest Django of the registry. PYTHON is
# the interpreter; PROFILE=NAME takes another profile of cargo's than release.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
out=${1:-$tree/out/python}
profile=${PROFILE:-release}
mkdir -p "$out"
out=$(cd "$out" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cp -r "$here" "$scratch/package"
"${PYTHON:-python3}" -m venv "$scratch/environment"
python=$scratch/environment/bin/python
"$python" -m pip install --quiet --disable-pip-version-check build
"$python" -m build --quiet --wheel --outdir "$out" "$scratch/package"

(cd "$tree" && ${CARGO:-cargo} build --quiet --profile "$profile" -p nearmiss-capi -p filterctl)
folder=$profile
[ "$profile" = dev ] && folder=debug
built=${CARGO_TARGET_DIR:-$tree/target}/$folder
"$tree/crates/capi/link.sh" "$built/libnearmiss.a" "$scratch"
printf 'elephant\npassword\n' > "$scratch/words"
"$built/filterctl" build --output "$scratch/words.filter" "$scratch/words" >/dev/null
cat > "$scratch/nearmiss.conf" <<end
packaged = false
[[dictionary]]
file = "$scratch/words.filter"
[ladder]
file = "$scratch/none"
key = "$scratch/none.key"
end

"$python" -m pip install --quiet --disable-pip-version-check django mypy "$out"/nearmiss-*.whl
for test in test_nearmiss test_django; do
    LD_LIBRARY_PATH=$scratch NEARMISS_TEST_CONF=$scratch/nearmiss.conf "$python" "$here/tests/$test.py"
done
(cd "$here" && "$python" -m mypy --cache-dir "$scratch/mypy" &&
    "$python" -m mypy --cache-dir "$scratch/mypy" --strict examples/check.py)
"$python" -c 'import django; print("with Django", django.__version__)'
ls "$out"/nearmiss-*.whl
