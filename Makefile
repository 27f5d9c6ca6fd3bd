# make demo   the main job, on the embedded list: touches nothing of the system
# make test   installs what the tests need (by package name, only what is missing) and runs every test
# make help   every target with a line each

CARGO ?= cargo
FAST = --profile test-fast

.PHONY: demo fleet-demo breach-demo test test-shipped needs format pot lint doc gate dist bench bench-instructions fuzz torture coverage \
    mutants proofs package-test python figures help clean

demo: ## the main job, on the embedded list; touches nothing of the system
	@packaging/demo/demo.sh

fleet-demo: ## three servers and two hosts: a password chosen on one is rejected on the other
	@packaging/fleet/demo/demo.sh

breach-demo: ## leaked passwords fetched from a server here, rejected, and told at a login after a later leak
	@packaging/fetch/demo/demo.sh

# Clippy is not among the tests: it compiles everything once more.
test: needs format ## install what the tests need, by package name, and run every test but those of what is shipped
	@tests/tools/stage.sh fast

test-shipped: needs ## what is shipped: optimized module, library and packages, demonstrations
	@tests/tools/stage.sh shipped

needs: ## install what the tests need
	@tests/tools/needs.sh

format: ## check layout, length of lines and phrases
	$(CARGO) fmt --all --check
	@tests/tools/width.py
	@tests/tools/phrases.py

lint: format ## arrows between modules, Clippy
	@tests/tools/arrows.py
	@tests/tools/chains.py
	$(CARGO) clippy --workspace --all-targets $(FAST) -- -D warnings

doc: ## the documentation, without a warning
	@tests/tools/documents.sh

gate: ## what CI reads after the tests: lint, doc, licences, sources and locks of crates, unused crates
	@tests/tools/gate.sh

torture: needs ## the tests that take long: kills, storms, lost nodes, other machines; STEPS="..." for some
	@tests/tools/torture.sh $(STEPS)

package-test: ## the packages in fresh Debian and Ubuntu roots, and the servers
	@packaging/tests/run.sh

dist: ## what a release consists of: source with its crates, Debian source package, checksums, bills of materials
	@packaging/dist.sh $(OUT)

fuzz: ## each fuzz target for a minute
	@tests/fuzz/run.sh 60

bench: ## speed beside other tools, and the catch of the rules: writes RESULTS.md and docs/measured.md
	@tests/benches/bench.sh
	@tests/benches/catch.sh --write

bench-instructions: ## instructions beside an earlier commit
	@tests/benches/bench.sh instructions

coverage: ## lines that no test runs
	@tests/tools/coverage.sh

mutants: ## changes of the lines that differ from main (or BASE=COMMIT) that no test notices
	@tests/tools/mutants.sh

proofs: ## the theorems of the neighbourhoods by Coq, and the code beside what Coq extracts from them
	@crates/filters/proofs/run.sh

pot: ## the sentences of the module for translators; needs gettext
	@packaging/po/pot.py

python: ## the wheel of the Python package, tested with Django
	@crates/python/build.sh

figures: ## the pictures of docs/papers.md and of the README; needs wamerican and wamerican-huge
	$(CARGO) build $(FAST) --bin filterlab --bin filterctl
	crates/lab/figures.sh target/test-fast
	packaging/demo/demo.sh | packaging/demo/picture.py > target/demo.svg
	mv target/demo.svg docs/figures/demo.svg

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | awk -F '\t' '{ printf "%-20s %s\n", $$1, $$2 }'

clean: ## remove what was built
	$(CARGO) clean
