# Two commands are enough: `make run` to use Metnos, `make test` to check it. Both set up what is
# missing and say what and why.

CARGO   := cargo
BIN     := target/metnos
LAB     := target/lab
SKIPPED := $(CURDIR)/target/skipped.txt
# The digest is told as in the build, so that the program is not compiled again without it.
NEXTEST = env METNOS_SKIPPED=$(SKIPPED) METNOS_BIN=$(CURDIR)/$(BIN)/metnos METNOS_HOST_DIGEST=$$($(BIN)/metnos-host --digest) \
          $(CARGO) nextest run --release --locked

.PHONY: run build test check unit docs clippy unify setup dist bench attacks chaos fit lab testbed timings eval-llm clean help

help:
	@sed -n 's/^#: //p' Makefile

#: make run      build, set up, open the doors and a prompt
run: build
	@$(BIN)/metnos init --if-needed
	@$(BIN)/metnos serve --prompt

#: make build    metnos and the host it is bound to, in target/metnos
build: setup
	@./scripts/pair.sh $(BIN)

#: make test     format, lints, licences, all tests, docs
test: export METNOS_SETUP = tests
test: build lab dist
	$(CARGO) fmt --all --check
	@./scripts/unified.sh
	@./scripts/deny.sh
	$(NEXTEST) --workspace --no-run
	@rm -f $(SKIPPED)
	@./scripts/beside.sh "$(MAKE) --no-print-directory clippy docs" -- $(NEXTEST) --workspace --no-fail-fast
	@./scripts/skipped.sh $(SKIPPED)

#: make check    the inner loop: format, clippy on what changed, unit tests, a short end-to-end set
check: export METNOS_SETUP = check
check: build
	@./scripts/check.sh
	@rm -f $(SKIPPED)
	$(NEXTEST) --workspace --profile check
	@./scripts/skipped.sh $(SKIPPED)

# What a test cannot have on this machine it writes down instead of passing quietly.
#: make unit     all tests, without lints and docs
unit: export METNOS_SETUP = tests
unit: build lab dist
	@rm -f $(SKIPPED)
	$(NEXTEST) --workspace --no-fail-fast
	@./scripts/skipped.sh $(SKIPPED)

clippy:
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps --quiet

setup:
	@./scripts/setup.sh $(METNOS_SETUP)

#: make attacks  the whole attack table, one JSON row each, every row with its control
attacks: build lab
	@$(CARGO) build --release --locked --quiet -p metnos-lab
	@METNOS_LAB=$(CURDIR)/$(LAB)/metnos target/release/metnos-lab
	@METNOS_LAB=$(CURDIR)/$(LAB)/metnos target/release/metnos-lab --guards

# The test build of the attack table: one layer of it can be taken away, and it has a hostile seed.
lab: setup
	@./scripts/pair.sh $(LAB) --config .config/lab.toml --features lab

#: make dist     a tarball, a .deb and their checksums, in target/dist
dist: build
	@./scripts/dist.sh $(BIN) $(if $(filter tests,$(METNOS_SETUP)),--fast)

#: make testbed  a model server and a tiny model for tests, outside the repository
testbed:
	@./scripts/testbed.sh

#: make eval-llm what a small real model (1.1 GB) adds to the planner; EVAL="N AGAIN" requests of each kind, twice
eval-llm: build
	@./scripts/eval_llm.sh $(EVAL)

#: make bench    one JSON line per figure, with what it is compared with
bench: build
	@./scripts/bench.sh

#: make timings  how long a clean clone takes, as JSON; TIMINGS="run change check test" chooses
timings: setup
	@python3 scripts/timings.py $(TIMINGS)

#: make chaos    kills, failing system calls and power losses; CHAOS="--quick" for a short run
chaos: build
	@./scripts/chaos.sh $(CHAOS)

#: make fit      weights from the rows; CHECK=1 leaves one voice out at a time and prints what it gets; FIT="phone --verbose" chooses
fit:
	@$(CARGO) build --release --locked --quiet -p metnos-fit
	@target/release/metnos-fit $(if $(CHECK)$(FIT),$(FIT),--write=crates/engine/data/weights.bin)

#: make unify    write crates/unify anew, after a change of dependencies
unify:
	@./scripts/unified.sh --write

clean:
	$(CARGO) clean
