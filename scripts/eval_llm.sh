#!/usr/bin/env bash
# What a small real model adds to the planner: accuracy side by side, tokens and seconds a plan.
#   eval_llm.sh [N] [AGAIN]    N requests of each kind (default 100), the first AGAIN of them twice (default 10)
#   ROLES="fast wise" eval_llm.sh   also lets the model make plans itself
set -euo pipefail
cd "$(dirname "$0")/.."
most="${1:-100}"
again="${2:-10}"
dir="${METNOS_TESTBED:-${XDG_CACHE_HOME:-$HOME/.cache}/metnos-testbed}"
model="$dir/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
./scripts/testbed.sh real
cargo build --release --locked --quiet -p metnos-engine --example eval
eval=target/release/examples/eval
metnos="$PWD/target/metnos/metnos"

work="$(mktemp -d)"
port=$((20000 + RANDOM % 20000))
mkfifo "$work/stdin"
"$dir/venv/bin/python" scripts/model_server.py "$model" "$port" 8192 "${THREADS:-2}" <"$work/stdin" >"$work/server.log" 2>&1 &
# The server ends when its standard input does: with this script, however it ends.
exec 9>"$work/stdin"
trap 'exec 9>&-; rm -rf "$work"' EXIT
for _ in $(seq 1 120); do
  python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/health', timeout=2)" 2>/dev/null && break
  sleep 1
done

mkdir "$work/home"
run() { env -i HOME="$work/home" METNOS_HOME="$work/metnos" PATH=/usr/bin:/bin "$metnos" "$@"; }
run init >/dev/null
for role in ${ROLES:-fast}; do
  cat >>"$work/metnos/config/metnos.toml" <<TOML
[tiers.$role]
kind = "openai"
url = "http://127.0.0.1:$port"
model = "qwen2.5-coder-1.5b-instruct"
timeout_seconds = 300
TOML
done
cat >>"$work/metnos/config/metnos.toml" <<TOML
[budget]
seconds_per_turn = 600
tokens_per_day = 100000000
TOML

"$eval" select "$most" >"$work/requests"
head -n "$again" "$work/requests" >"$work/some"
clock=(--now 2026-11-15T10:00:00+01:00 --zone Europe/Rome)
run plan "${clock[@]}" --batch "$work/requests" >"$work/without"
timeout "${LIMIT:-7200}" env -i HOME="$work/home" METNOS_HOME="$work/metnos" PATH=/usr/bin:/bin \
  "$metnos" plan --model "${clock[@]}" --batch "$work/requests" >"$work/with" || echo "eval: stopped by LIMIT; what was answered counts"
run plan --model "${clock[@]}" --batch "$work/some" >"$work/again"
"$eval" compare "$work/requests" "$work/without" "$work/with" "$work/again"
