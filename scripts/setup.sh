#!/usr/bin/env bash
# Installs what Metnos needs on Debian or Ubuntu, saying what and why.
#   setup.sh         what building and running needs
#   setup.sh check   also what `make check` needs
#   setup.sh tests   also what `make test` needs
# Without root it prints the one command to run: it exits 2 for what building needs, and goes on without what only
# some tests need (they are skipped, counted and named).
set -euo pipefail
for_what="${1:-}"

missing=()
need() { # need <command> <package> <why>
  command -v "$1" >/dev/null 2>&1 && return
  echo "setup: $2 is missing: $3"
  missing+=("$2")
}

# install MUST: the missing packages; MUST is "must" or "may"
install() {
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: install these with your package manager: ${missing[*]}" >&2
    [ "$1" = may ] && return 0
    exit 2
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if [ "$1" = may ]; then
      echo "setup: the tests that need them are skipped; to have them, run this once:" >&2
    else
      echo "setup: run this once, then try again:" >&2
    fi
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
    [ "$1" = may ] && return 0
    exit 2
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  echo "setup: installed ${missing[*]}"
}

# tool <subcommand> <package> <why>: a tool of cargo's, compiled once
tool() {
  command -v "cargo-$1" >/dev/null 2>&1 && return
  echo "setup: $2 is missing: $3; installing it once"
  cargo install --locked --quiet "$2" || {
    echo "setup: run this once, then try again:" >&2
    echo "  cargo install --locked $2" >&2
    exit 2
  }
}

need bwrap bubblewrap "the first of the three kernel layers around every executor"
need cc gcc "links the programs, and compiles SQLite"
need make make "runs this very file"
[ -e /usr/bin/python3 ] || need /usr/bin/python3 python3 "runs imported skills that ship Python scripts"
[ -e /usr/lib/"$(uname -m)"-linux-gnu/libc.a ] || [ -e /usr/lib64/libc.a ] || {
  echo "setup: libc6-dev is missing: the host inside a cell is linked statically"
  missing+=(libc6-dev)
}
install must

command -v cargo >/dev/null 2>&1 || {
  echo "setup: no Rust toolchain. Install one from https://rustup.rs, then try again." >&2
  exit 2
}

[ -z "$for_what" ] || tool nextest cargo-nextest "it runs the tests"
if [ "$for_what" = tests ]; then
  missing=()
  need chromium chromium "the browser in which the pages are tried"
  need chromedriver chromium-driver "drives that browser"
  need strace strace "puts kills and errors at a system call"
  need fusermount3 fuse3 "mounts the disk that forgets"
  need systemd-analyze systemd "checks the unit file"
  need script bsdutils "gives a command a terminal"
  install may
  tool deny cargo-deny "it checks licences and sources"
  tool deb cargo-deb "it makes the Debian package"
  # A real model server for the wire tests; without it they are skipped, and counted.
  timeout 600 "$(dirname "$0")/testbed.sh" || true
fi
