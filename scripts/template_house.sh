#!/usr/bin/env bash
# Run by nextest before the tests: sets Metnos up once, at two levels, so that each test copies a finished
# house instead of signing and trying every executor again. The tests of `metnos init` itself run the real one.
set -euo pipefail
cd "$(dirname "$0")/.."
metnos="${METNOS_BIN:-$PWD/target/metnos/metnos}"
# Without a build there is nothing to copy; the tests that need one name the command.
[ -x "$metnos" ] || exit 0

dir="${CARGO_TARGET_DIR:-$PWD/target}/template"
rm -rf "$dir"
mkdir -p "$dir/home"
run() { env -i HOME="$dir/home" METNOS_HOME="$dir/$1" PATH=/usr/bin:/bin "$metnos" "${@:2}" >/dev/null; }
run supervised init --yes
cp -a "$dir/supervised" "$dir/full"
run full policy level full
echo "METNOS_TEMPLATE=$dir" >>"$NEXTEST_ENV"
