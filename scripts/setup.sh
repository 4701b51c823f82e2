#!/usr/bin/env bash
# Installs what Metnos needs on Debian or Ubuntu, saying what and why.
# Without root it prints the one command to run and exits 2.
set -euo pipefail

missing=()
need() { # need <command> <package> <why>
  command -v "$1" >/dev/null 2>&1 && return
  echo "setup: $2 is missing: $3"
  missing+=("$2")
}

need bwrap bubblewrap "the first of the three kernel layers around every executor"
need cc gcc "links the programs, and compiles SQLite"
need make make "runs this very file"
[ -e /usr/bin/python3 ] || need /usr/bin/python3 python3 "runs imported skills that ship Python scripts"
[ -e /usr/lib/"$(uname -m)"-linux-gnu/libc.a ] || [ -e /usr/lib64/libc.a ] || {
  echo "setup: libc6-dev is missing: the host inside a cell is linked statically"
  missing+=(libc6-dev)
}

# Without root the browser tests are skipped, and counted.
if [ "${1:-}" = tests ] && [ "$(id -u)" -eq 0 ]; then
  need chromium chromium "the browser in which the pages are tried"
  need chromedriver chromium-driver "drives that browser"
fi

if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null 2>&1 || {
    echo "setup: install these with your package manager: ${missing[*]}" >&2
    exit 2
  }
  if [ "$(id -u)" -ne 0 ]; then
    echo "setup: run this once, then try again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    exit 2
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  echo "setup: installed ${missing[*]}"
fi

command -v cargo >/dev/null 2>&1 || {
  echo "setup: no Rust toolchain. Install one from https://rustup.rs, then try again." >&2
  exit 2
}
if [ "${1:-}" = tests ] && ! cargo nextest --version >/dev/null 2>&1; then
  echo "setup: cargo-nextest is missing: it runs the tests"
  cargo install --locked --quiet cargo-nextest
fi
if [ "${1:-}" = tests ]; then
  # A real model server for the wire tests; without it they are skipped, and counted.
  timeout 600 "$(dirname "$0")/testbed.sh" || true
fi
