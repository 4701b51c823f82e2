import errno
import os
import shutil
import socket
import time
import urllib.request


def fetch(url):
    with urllib.request.urlopen(url, timeout=3) as page:
        return page.read().decode()


def made(family, kind, protocol=0):
    with socket.socket(family, kind, protocol) as one:
        return str(one.fileno())


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.settimeout(2)
        one.connect(address)
        return "connected"


def listen(name):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.bind(name)
        one.listen()
        return "listens"


def write(path, text, flags=0):
    fd = os.open(path, os.O_WRONLY | flags, 0o600)
    os.write(fd, text.encode())
    os.close(fd)
    return "written"


def read(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 65536).decode(errors="replace")
    finally:
        os.close(fd)


def bomb(n):
    alive = 0
    for _ in range(n):
        if os.fork() == 0:
            time.sleep(2)
            os._exit(0)
        alive += 1
    time.sleep(0.4)
    return str(alive)


def speak_for_the_host():
    # The line to the daemon stands at a fixed number; nothing that the host starts may have it.
    if os.fstat(3).st_mode & 0o170000 == 0o140000:
        return "the line is open"
    raise OSError(errno.EBADF, "no line to the daemon")


def child_reads(path):
    ours, theirs = os.pipe()
    if os.fork() == 0:
        try:
            os.write(theirs, read(path).encode())
        except OSError as error:
            os.write(theirs, ("errno " + str(error.errno)).encode())
        os._exit(0)
    os.close(theirs)
    said = os.read(ours, 65536).decode()
    os.wait()
    if said.startswith("errno "):
        raise OSError(int(said[6:]), "in the child")
    return said


def execute(path):
    child = os.fork()
    if child == 0:
        try:
            os.execv(path, [path])
        except OSError as error:
            os._exit(error.errno)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code != 0:
        raise OSError(code, "in the child")
    return "ran"


def burn(ms):
    while time.process_time() < ms / 1000:
        pass
    return "burnt"


def fill(path, mib):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    for _ in range(mib):
        os.write(fd, b"x" * 1048576)
    os.close(fd)
    return str(mib)


def hold(mib):
    kept = bytearray(mib * 1048576)
    time.sleep(0.4)
    return str(len(kept))


def open_many(n):
    return str(len([os.open("/dev/null", os.O_RDONLY) for _ in range(n)]))


def attempt(attack, target, n, args):
    first, _, second = target.partition(">")
    tries = {
        "none": lambda: "",
        "read": lambda: read(target),
        "read-first": lambda: read(args["paths"][0]),
        "list": lambda: str(os.listdir(target)),
        "stat": lambda: str(os.lstat(target).st_ino),
        "readlink": lambda: os.readlink(target),
        "chdir": lambda: str(os.chdir(target)),
        "write": lambda: write(target, "overwritten"),
        "create": lambda: write(target, "created", os.O_CREAT | os.O_EXCL),
        "chmod": lambda: str(os.chmod(target, 0o777)),
        "remove": lambda: str(os.unlink(target)),
        "rename": lambda: str(os.rename(first, second)),
        "carry": lambda: str(shutil.move(first, second)),
        "hard-link": lambda: str(os.link(first, second)),
        "environment": lambda: str(dict(os.environ)),
        "hostname": lambda: os.uname().nodename,
        "descriptor": lambda: os.pread(n, 4096, 0).decode(),
        "leave": lambda: write("/tmp/.cell/left", "left behind", os.O_CREAT),
        "find-left": lambda: read("/tmp/.cell/left"),
        "inet-socket": lambda: made(socket.AF_INET, socket.SOCK_DGRAM),
        "unix-socket": lambda: made(socket.AF_UNIX, socket.SOCK_STREAM),
        "netlink-socket": lambda: made(socket.AF_NETLINK, socket.SOCK_RAW),
        "raw-socket": lambda: made(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
        "packet-socket": lambda: made(socket.AF_PACKET, socket.SOCK_RAW),
        "abstract-socket": lambda: listen("\0metnos-lab"),
        "memfd-create": lambda: str(os.memfd_create("lab")),
        "chroot": lambda: str(os.chroot("/nonexistent")),
        "setuid": lambda: str(os.setresuid(-1, -1, -1)),
        "pidfd-open": lambda: str(os.pidfd_open(os.getpid())),
        "sethostname": lambda: str(socket.sethostname("taken")),
        "mknod": lambda: str(os.mknod("/tmp/.cell/node", 0o600 | 0o020000, os.makedev(1, 3))),
        "signal-init": lambda: str(os.kill(1, 0)),
        "connect": lambda: connect(socket.AF_INET, ("127.0.0.1", n)),
        "fetch": lambda: fetch(target),
        "fork-bomb": lambda: bomb(n),
        "child-reads": lambda: child_reads(target),
        "speak-for-the-host": lambda: speak_for_the_host(),
        "execute": lambda: execute(target),
        "hang": lambda: str(time.sleep(n / 1000)),
        "burn": lambda: burn(n),
        "fill-tmp": lambda: fill("/tmp/.cell/full", n),
        "fill-memory": lambda: hold(n),
        "open-many": lambda: open_many(n),
    }
    return tries[attack]()


def run(args: dict, ctx) -> dict:
    attack = args["attack"]
    if attack == "unheard-of":
        ctx.fail("wrong_args", "no attack is called so")
    errno, got = 0, ""
    # Some calls cannot succeed here for want of privilege: the attack is to reach them at all.
    reached = {"chroot": 2}
    what = attack.removesuffix("-and-fail")
    try:
        got = attempt(what, args.get("target", ""), args.get("n", 0), args)
    except MemoryError:
        errno, got = 12, "no memory"
    except OSError as error:
        errno, got = error.errno or -1, str(error)
        if errno == reached.get(attack):
            errno, got = 0, "reached: " + got
    if what != attack:
        raise ValueError("after the attack")
    return {args.get("list", "entries"): [{"attack": attack, "errno": errno, "got": got}]}
