import os
import shutil


def run(args: dict, ctx) -> dict:
    if args.get("do") == "fail":
        raise ValueError("as asked")
    here = args.get("folder")
    if here is None:
        return {"results": []}
    done = []
    for place, folders, files in os.walk(here):
        for number, name in enumerate(sorted(files)):
            at = os.path.join(place, name)
            if os.path.islink(at):
                os.remove(at)
                os.symlink("elsewhere", at + ".way")
            elif number % 4 == 0:
                with open(at, "ab") as f:
                    f.write(b"one more line\n")
            elif number % 4 == 1:
                os.rename(at, at + ".moved")
            elif number % 4 == 2:
                os.remove(at)
            else:
                os.chmod(at, 0o604)
            done.append({"path": at})
    for name in ["deep", "empty"]:
        for place in [here, os.path.join(here, "gone")]:
            if os.path.isdir(os.path.join(place, name)):
                shutil.rmtree(os.path.join(place, name))
    os.makedirs(os.path.join(here, "made", "below"))
    for name in ["first", "second"]:
        with open(os.path.join(here, "made", "below", name), "w") as f:
            f.write("a new text in " + name + "\n")
    return {"results": done}
