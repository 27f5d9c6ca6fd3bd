# make demo   the main job, on the embedded list: touches nothing of the system
# make test   installs what the tests need (by package name, only what is missing) and runs every test
# The other targets are for developers: see the end of README.md.

CARGO ?= cargo
FAST = --profile test-fast

.PHONY: demo fleet-demo test needs format pot lint unit doc bench bench-instructions fuzz torture coverage mutants proofs \
    package-test notices python figures clean

demo:
	@packaging/demo/demo.sh

# Three servers on the loopback, two hosts: a password that was chosen on one is refused on the other.
fleet-demo:
	@packaging/fleet/demo/demo.sh

needs:
	@tests/tools/needs.sh

format:
	$(CARGO) fmt --all --check
	@tests/tools/width.py

# The sentences of the module, for translators: needs gettext.
pot:
	@po/pot.py

lint: format
	@tests/tools/arrows.py
	$(CARGO) clippy --workspace --all-targets $(FAST) -- -D warnings

# Many tests wait for a prompt or a server: two for each processor.
unit:
	@RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$((2 * $$(nproc)))} tests/tools/ahead.sh tests/tools/skips.sh $(CARGO) test --workspace --no-fail-fast $(FAST)

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# Clippy is `make lint`: it compiles everything once more, and the tests are to take less than ten minutes on two cores.
test: needs format unit

bench:
	@benches/bench.sh

bench-instructions:
	@benches/bench.sh instructions

fuzz:
	@fuzz/run.sh 60

torture:
	@tests/tools/torture.sh

coverage:
	@tests/tools/coverage.sh

# Hours for everything: make mutants MUTANTS="--file filters/src/policy/*", or MUTANTS="--shard 0/20"
mutants:
	@set -f; tests/tools/mutants.sh $(MUTANTS)

# The theorems of the neighbourhoods, checked by Coq, and the code beside what Coq extracts from them.
proofs:
	@proofs/run.sh

package-test:
	@packaging/tests/run.sh

# packaging/NOTICES: the licences of the crates that are linked, after Cargo.lock changed.
notices:
	@packaging/notices.py

# The wheel of the Python package, in out/python, tested with the Django of the registry.
python:
	@plugins/python/build.sh

# The pictures of docs/papers.md, by the commands that the page names: needs wamerican and wamerican-huge.
figures:
	$(CARGO) build $(FAST) --bin filterlab --bin filterctl
	lab/figures.sh target/test-fast

clean:
	$(CARGO) clean
