#!/usr/bin/env bash
# Licences, bans and sources of every dependency, by cargo-deny.
set -euo pipefail
command -v cargo-deny >/dev/null 2>&1 || {
  echo "deny: cargo-deny is missing: it checks licences and sources; installing it once"
  cargo install --locked --quiet cargo-deny
}
cargo deny --locked check licenses bans sources
