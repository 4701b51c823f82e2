#!/usr/bin/env bash
# Disturbs Metnos at every point that matters: kills and failing system calls through strace, power
# losses through a disk that forgets. One JSON line a group on standard output, and the sum at the end.
# Options go to the tool: --kills N, --forgetful N, --only WORD, --seed S, --model strict|ordered, --quick.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
need() { # need <command> <package> <why>
  command -v "$1" >/dev/null 2>&1 && return
  echo "chaos: $2 is missing: $3" >&2
  missing+=("$2")
}
need strace strace "it puts kills and errors at a system call"
need fusermount3 fuse3 "the disk that forgets is mounted through FUSE"

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    if apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null; then
      echo "chaos: installed ${missing[*]}" >&2
    else
      echo "chaos: ${missing[*]} could not be installed; the part that needs them is skipped" >&2
    fi
  else
    echo "chaos: the part that needs them is SKIPPED; to have it, run this once:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
  fi
fi

cargo build --release --quiet -p metnos-chaos
exec target/release/metnos-chaos target/metnos/metnos "$@"
