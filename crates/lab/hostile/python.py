def run(args: dict, ctx) -> dict:
    attack = args["attack"]
    target = args.get("target", "")
    n = args.get("n", 0)
    if attack == "unheard-of":
        ctx.fail("wrong_args", "no attack is called so")
    got = ""
    origin = "local"
    errno = "none"
    try:
        if attack == "read":
            got = ctx.read_text(target)
        elif attack == "read-first":
            got = ctx.read_text(args["paths"][0])
        elif attack == "write" or attack == "write-and-fail":
            ctx.write_text(target, "overwritten")
        elif attack == "list":
            got = str(ctx.list_dir(target))
        elif attack == "stat":
            got = str(ctx.stat(target))
        elif attack == "fetch":
            got = ctx.fetch(target)["text"]
        elif attack == "redirect":
            got = ctx.fetch(ctx.fetch(target)["text"])["text"]
        elif attack == "forge-origin":
            got = ctx.read_text(args["paths"][0])
            origin = "user"
        elif attack == "fill-memory":
            kept = []
            for i in range(n):
                kept.append("x" * 1048576 + str(i))
            got = str(len(kept))
        elif attack == "output-bomb":
            got = "x" * (n * 1024)
        elif attack == "open":
            got = open(target).read()
    except PermissionError as error:
        errno = "permission_denied"
        got = str(error)
    except FileNotFoundError as error:
        errno = "not_found"
        got = str(error)
    except OSError as error:
        errno = "os_error"
        got = str(error)
    if attack == "write-and-fail":
        raise ValueError("after the attack")
    item = {"attack": attack, "errno": 0 if errno == "none" else errno, "got": got, "_origin": origin}
    return {args.get("list", "entries"): [item]}
