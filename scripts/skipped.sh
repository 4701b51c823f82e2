#!/usr/bin/env bash
# Counts and names the tests that were skipped; with METNOS_STRICT=1 those that could have run have failed already.
set -euo pipefail
if [ -s "$1" ]; then
  echo "SKIPPED: $(wc -l <"$1") tests did not have what they need:"
  sort "$1"
else
  echo "SKIPPED: 0"
fi
