"""Runs one executor for the host.

The host sends one line with the code and the arguments; every ctx call is a line to the host and a line
back; the last line is the answer or the exception. Lines are JSON. The two pipes are taken away from the
executor's own standard input and output, so that a stray print cannot be mistaken for an answer.
"""

import base64
import io
import json
import math
import os
import sys
import types

SCRIPT = "main.py"
DEPTH_MAX = 100
SAID_MAX = 16384
METHODS = (
    "read_text", "read_bytes", "write_text", "list_dir", "stat", "now", "progress", "fetch",
    "credential", "log", "fail",
)
RAISED = {
    "FileNotFoundError": FileNotFoundError,
    "FileExistsError": FileExistsError,
    "PermissionError": PermissionError,
    "TimeoutError": TimeoutError,
    "ValueError": ValueError,
    "TypeError": TypeError,
}


class Tail(io.TextIOBase):
    """Keeps the end of what the executor printed."""

    def __init__(self):
        self.text = ""

    def writable(self):
        return True

    def write(self, text):
        self.text = (self.text + text)[-SAID_MAX:]
        return len(text)


class Wrong(Exception):
    """The answer is not something JSON can carry."""


class Pipes:
    """The dialogue with the host."""

    def __init__(self):
        self.reader = os.fdopen(os.dup(0), "rb")
        self.writer = os.fdopen(os.dup(1), "wb")
        empty, closed = os.pipe()
        os.close(closed)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        # Whoever writes past what the host is ready to keep loses it rather than waiting for ever.
        os.set_blocking(2, False)

    def send(self, message):
        self.writer.write(json.dumps(message, allow_nan=False).encode() + b"\n")
        self.writer.flush()

    def receive(self):
        line = self.reader.readline()
        if not line:
            os._exit(1)
        return json.loads(line)


def plain(value, place, budget, depth=DEPTH_MAX):
    """Checks that value is made of what JSON carries, no more of it than the host accepts."""
    budget[0] -= 1
    if budget[0] < 0:
        raise OverflowError
    if depth == 0:
        raise Wrong(f"the value is nested deeper than {DEPTH_MAX}")
    if value is None or value is True or value is False:
        return
    kind = type(value)
    if isinstance(value, str):
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Wrong(f"{place} is a str that is not valid Unicode") from None
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise Wrong(f"{place} is an int that does not fit in 64 bits")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise Wrong(f"{place} is a float that is not finite")
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            plain(item, f"{place}[{i}]", budget, depth - 1)
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise Wrong(f"{place} is a dict with a key that is of type {type(key).__name__}")
            plain(key, place, budget)
            plain(item, f"{place}.{key[:50]}", budget, depth - 1)
    else:
        raise Wrong(f"{place} is of type {kind.__name__}, which JSON cannot carry")


def argument(value):
    """A path object as the host understands it; anything else as it is."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, bytes):
        value = os.fsdecode(value)
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return {"path_b64": base64.b64encode(os.fsencode(value)).decode()}
    return value


def make_ctx(pipes):
    def method(name):
        def call(self, *args, **kwargs):
            args = [argument(a) for a in args]
            kwargs = {k: argument(v) for k, v in kwargs.items()}
            pipes.send({"call": name, "args": args, "kwargs": kwargs})
            reply = pipes.receive()
            if "raise" in reply:
                raise RAISED.get(reply["raise"], OSError)(reply["message"])
            if "b64" in reply:
                return base64.b64decode(reply["b64"])
            return reply["value"]

        call.__name__ = name
        return call

    return type("Ctx", (), {"__slots__": (), **{name: method(name) for name in METHODS}})()


def limit(memory, seconds, depth):
    """Closes the limits this process can put on itself; the cell has its own."""
    sys.setrecursionlimit(depth + 50)
    try:
        import resource

        with open("/proc/self/statm") as statm:
            now = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + memory, now + memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def line_of(error):
    """The deepest line of the executor in the traceback."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == SCRIPT:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def perform(call, ctx):
    try:
        module = types.ModuleType("executor")
        sys.modules["executor"] = module
        exec(compile(call["code"], SCRIPT, "exec", dont_inherit=True), module.__dict__)
        answer = module.run(call["args"], ctx)
        if not isinstance(answer, dict):
            return {"wrong": f"run must return a dict, not {type(answer).__name__}"}
        try:
            plain(answer, "answer", [call["most"]])
        except Wrong as wrong:
            return {"wrong": str(wrong)}
        except OverflowError:
            return {"over": True}
        return {"answer": answer}
    except BaseException as error:
        try:
            message = str(error)[:2000].encode(errors="replace").decode()
        except BaseException:
            message = ""
        kinds = [kind.__name__ for kind in type(error).__mro__]
        return {"exception": kinds, "message": message, "line": line_of(error)}


def main():
    pipes = Pipes()
    call = pipes.receive()
    limit(call["memory"], call["seconds"], call["depth"])
    said = Tail()
    sys.stdout = sys.stderr = said
    end = perform(call, make_ctx(pipes))
    end["said"] = said.text.encode(errors="replace").decode()
    try:
        pipes.send(end)
    except MemoryError:
        pipes.send({"exception": ["MemoryError"], "message": "", "line": None, "said": ""})
    # Nothing the executor left behind runs after its answer.
    os._exit(0)


main()
