#!/usr/bin/env python3
"""How long the loop takes: one JSON object on standard output, in seconds, with the bars and the machine's cores.

    timings.py [run] [change] [check] [test]      which to measure; all of them without a word

Everything is measured in a clean clone of this repository's HEAD, in a folder that is taken away at the end. What is
downloaded or installed (registry, tools) comes first and is timed apart:

    setup    tools and downloads
    run      `make run` until it prints the link for the browser
    change   a changed line in crates/engine until `metnos` runs with it
    check    `make check` with that change, everything else compiled
    test     `make test` in another clean clone
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARS = {"run": 360, "change": 45, "check": 180, "test": 1200}
REPOSITORY = Path(__file__).resolve().parent.parent
CHANGED = "crates/engine/src/lib.rs"


def say(text):
    print(f"timings: {text}", file=sys.stderr, flush=True)


def timed(command, cwd, env):
    began = time.monotonic()
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=sys.stderr)
    took = time.monotonic() - began
    if done.returncode != 0:
        raise SystemExit(f"timings: {' '.join(command)} failed with {done.returncode}")
    return took


def clone(work, name):
    to = work / name
    subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(to)], check=True)
    return to


def run_until_link(cwd, env):
    """Seconds until `make run` prints the link."""
    began = time.monotonic()
    # Its own group, so that the daemon ends with it; a pipe as input, so that the prompt waits.
    child = subprocess.Popen(
        ["make", "run"], cwd=cwd, env=env, text=True, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    try:
        for line in child.stdout:
            print(line, end="", file=sys.stderr)
            if "http://" in line and "#" in line:
                return time.monotonic() - began
    finally:
        os.killpg(child.pid, signal.SIGTERM)
        child.stdin.close()
        child.wait()
    raise SystemExit("timings: `make run` ended without a link")


def main():
    wanted = sys.argv[1:] or list(BARS)
    unknown = [word for word in wanted if word not in BARS]
    if unknown:
        raise SystemExit(f"timings: {' '.join(unknown)}: not one of {' '.join(BARS)}")
    work = Path(tempfile.mkdtemp(prefix="metnos-timings-"))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("METNOS_", "CARGO_", "MAKE", "MFLAGS"))}
    env["METNOS_HOME"] = str(work / "home")
    told = {"cores": os.cpu_count(), "commit": git("rev-parse", "--short", "HEAD"), "seconds": {}, "bars": {}}
    seconds = told["seconds"]
    try:
        first = clone(work, "first")
        say("setup: tools and downloads")
        began = time.monotonic()
        timed(["./scripts/setup.sh", "tests"], first, env)
        timed(["cargo", "fetch", "--locked"], first, env)
        seconds["setup"] = time.monotonic() - began
        if {"run", "change", "check"} & set(wanted):
            say("run: make run in a clean clone")
            seconds["run"] = run_until_link(first, env)
        if {"change", "check"} & set(wanted):
            say("change: a line in the engine")
            source = first / CHANGED
            if "check" in wanted:
                # Everything else is compiled when an inner loop begins.
                timed(["make", "check"], first, env)
            source.write_text(source.read_text() + "\n#[used]\nstatic CHANGED: u8 = 1;\n")
            seconds["change"] = timed(["make", "build"], first, env)
            timed(["target/metnos/metnos", "--version"], first, env)
        if "check" in wanted:
            source.write_text(source.read_text().replace("= 1;", "= 2;"))
            seconds["check"] = timed(["make", "check"], first, env)
        shutil.rmtree(first)
        if "test" in wanted:
            say("test: make test in a clean clone")
            second = clone(work, "second")
            seconds["test"] = timed(["make", "test"], second, env)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    told["seconds"] = {name: round(took, 1) for name, took in seconds.items()}
    told["bars"] = {name: {"at_most": BARS[name], "met": took <= BARS[name]}
                    for name, took in seconds.items() if name in BARS}
    print(json.dumps(told))
    return 0 if all(bar["met"] for bar in told["bars"].values()) else 1


def git(*words):
    return subprocess.run(["git", *words], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
