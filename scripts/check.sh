#!/usr/bin/env bash
# The quick part of the lints: format, and clippy on the crates that changed since the upstream branch (or, without
# one, since the last commit). A change of the workspace's own manifest counts as a change of every crate.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo fmt --all --check

since="$(git rev-parse --verify --quiet '@{upstream}' || git rev-parse --verify --quiet HEAD || true)"
changed="$({ [ -z "$since" ] || git diff --name-only "$since"; git ls-files --others --exclude-standard; } 2>/dev/null || true)"
packages=()
if echo "$changed" | grep -qE '^(Cargo\.(toml|lock)|rustfmt\.toml)$'; then
  packages=(--workspace)
else
  for crate in $(echo "$changed" | sed -n 's#^crates/\([a-z]*\)/.*#\1#p' | sort -u); do
    name="$(sed -n 's/^name = "\(.*\)"/\1/p' "crates/$crate/Cargo.toml" 2>/dev/null | head -1)"
    [ -z "$name" ] || packages+=(-p "$name")
  done
fi
if [ ${#packages[@]} -eq 0 ]; then
  echo "check: no crate changed; clippy has nothing to look at"
else
  echo "check: clippy on ${packages[*]}"
  cargo clippy --release --locked --all-targets "${packages[@]}" -- -D warnings
fi
