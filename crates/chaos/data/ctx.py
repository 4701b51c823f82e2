def run(args: dict, ctx) -> dict:
    if args.get("do") == "fail":
        raise ValueError("as asked")
    here = args.get("folder")
    if here is None:
        return {"results": []}
    done = []
    for entry in ctx.list_dir(here):
        if entry["kind"] == "file":
            ctx.write_text(entry, "another text for " + entry["name"] + "\n")
            ctx.write_text(entry["path"] + ".new", "beside it\n")
            done.append({"path": entry["path"]})
    return {"results": done}
