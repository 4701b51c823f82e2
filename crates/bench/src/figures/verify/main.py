def run(args, ctx):
    start = args.get("start", 1)
    answered = []
    for n, entry in enumerate(args.get("entries", [])):
        record = dict(entry)
        record["n"] = start + n
        answered.append(record)
    return {"entries": answered}
