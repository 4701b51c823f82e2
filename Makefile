# Two commands are enough: `make run` to use Metnos, `make test` to check it. Both set up what is
# missing and say what and why.

CARGO   := cargo
BIN     := target/metnos
LAB     := target/lab
SKIPPED := $(CURDIR)/target/skipped.txt
STATIC  := -C target-feature=+crt-static -C strip=symbols
# The daemon, selected together with what shares its dependencies, so that they are compiled once.
DAEMON  := -p metnos -p metnos-seeds -p metnos-python

.PHONY: run build test check unit e2e docs lint deny setup bench attacks chaos lab testbed eval-llm clean help

help:
	@sed -n 's/^#: //p' Makefile

#: make run      build, set up, open the doors and a prompt
run: build
	@$(BIN)/metnos init --if-needed
	@$(BIN)/metnos serve --prompt

#: make build    metnos and the host it is bound to, in target/metnos
build: setup
	@mkdir -p $(BIN)
	$(CARGO) rustc --release --locked -p metnos-host --bin metnos-host -- $(STATIC)
	@cmp -s target/release/metnos-host $(BIN)/metnos-host || cp target/release/metnos-host $(BIN)/metnos-host
	METNOS_HOST_DIGEST=$$($(BIN)/metnos-host --digest) $(CARGO) build --release --locked $(DAEMON)
	@cmp -s target/release/metnos $(BIN)/metnos || { rm -f $(BIN)/metnos; cp target/release/metnos $(BIN)/metnos; }

#: make test     format, lints, licences, all tests, docs
test: export METNOS_SETUP = tests
test: build lint unit docs

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	@./scripts/deny.sh

# What a test cannot have on this machine it writes down instead of passing quietly.
unit: build lab
	@rm -f $(SKIPPED)
	METNOS_SKIPPED=$(SKIPPED) METNOS_BIN=$(CURDIR)/$(BIN)/metnos $(CARGO) nextest run --release --locked --workspace --no-fail-fast
	@if [ -s $(SKIPPED) ]; then echo "SKIPPED: $$(wc -l < $(SKIPPED)) tests had not what they need:"; cat $(SKIPPED); fi

docs:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --release --locked --workspace --no-deps --quiet

setup:
	@./scripts/setup.sh $(METNOS_SETUP)

#: make attacks  the attack table, one JSON row each, every row with its control
attacks: build lab
	@METNOS_LAB=$(CURDIR)/$(LAB)/metnos $(LAB)/metnos-lab
	@METNOS_LAB=$(CURDIR)/$(LAB)/metnos $(LAB)/metnos-lab --guards

# The test build of the attack table: one layer of it can be taken away, and it has a hostile seed.
lab: setup
	@mkdir -p $(LAB)
	$(CARGO) rustc --release --locked -p metnos-host --bin metnos-host --features lab -- $(STATIC)
	@cmp -s target/release/metnos-host $(LAB)/metnos-host || cp target/release/metnos-host $(LAB)/metnos-host
	METNOS_HOST_DIGEST=$$($(LAB)/metnos-host --digest) $(CARGO) build --release --locked $(DAEMON) --features metnos/lab
	@cmp -s target/release/metnos $(LAB)/metnos || { rm -f $(LAB)/metnos; cp target/release/metnos $(LAB)/metnos; }
	$(CARGO) build --release --locked -p metnos-lab
	@cmp -s target/release/metnos-lab $(LAB)/metnos-lab || { rm -f $(LAB)/metnos-lab; cp target/release/metnos-lab $(LAB)/metnos-lab; }

#: make testbed  a model server and a tiny model for tests, outside the repository
testbed:
	@./scripts/testbed.sh

#: make eval-llm what a small real model (1.1 GB) adds to the planner; EVAL="N AGAIN" requests of each kind, twice
eval-llm: build
	@./scripts/eval_llm.sh $(EVAL)

#: make bench    one JSON line per figure, with what it is compared with
bench: build
	@./scripts/bench.sh

#: make chaos    kills, failing system calls and power losses; CHAOS="--quick" for a short run
chaos: build
	@./scripts/chaos.sh $(CHAOS)

clean:
	$(CARGO) clean
