
# Calls the executor and measures what it answers here, where memory and time are watched: a small value
# may unfold into an enormous one, and the conversion that follows does not look. Every value and every
# character is at least one byte of JSON.
def __metnos_call(args, ctx, most, kit):
    isinstance, len, type, str, dict, list, tuple, int, float = kit
    answer = run(args, ctx)
    todo = [(answer, 1)]
    size = 0
    while todo:
        value, depth = todo.pop()
        size += 1
        if isinstance(value, str):
            size += len(value)
        elif value is None or isinstance(value, (int, float)):
            pass
        elif depth > 100:
            return ("contains itself or is nested deeper than 100 levels", None)
        elif isinstance(value, dict):
            for key in value:
                if not isinstance(key, str):
                    return ("has a key of type " + type(key).__name__, None)
                size += len(key)
            todo.extend([(item, depth + 1) for item in value.values()])
        elif isinstance(value, (list, tuple)):
            todo.extend([(item, depth + 1) for item in value])
        else:
            return ("holds a value of type " + type(value).__name__ + ", which JSON cannot carry", None)
        if size > most:
            return (True, None)
    return (None, answer)


__metnos_call(__metnos_args, __metnos_ctx, __metnos_most, __metnos_kit)
