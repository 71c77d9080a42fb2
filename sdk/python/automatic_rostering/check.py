"""Judges options and arguments, before anything is done with them."""

from inspect import iscoroutinefunction

#: In seconds. Sockets take no more than 24 days.
LONGEST_TIMEOUT = 1_000_000


def check(name: str, value: object, kind: type | tuple[type, ...], *others: object) -> None:
    """Raise a TypeError if a value is neither of a type nor one of the others.

    A bool is no number here: it is more likely a mistake.
    """
    if any(value is other for other in others):
        return
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = [_name(k) for k in kinds] + ["None"] * (None in others)
        raise TypeError(f"{name} must be {' or '.join(names)}, not {_name(type(value))}")


def check_timeout(name: str, value: float | None, *, zero: bool = False) -> None:
    """Raise a TypeError or a ValueError if a value is no number of seconds, and not None."""
    check(name, value, (float, int), None)
    if value is not None and not (0 < value <= LONGEST_TIMEOUT or (zero and value == 0)):
        raise ValueError(f"{name} must be positive and at most {LONGEST_TIMEOUT} s, or None")


def check_max_body(value: int) -> None:
    """Raise a TypeError or a ValueError if a value is no limit of a response."""
    check("max_body", value, int)
    if value <= 0:
        raise ValueError("max_body must be positive")


def check_store(store: object, *, asynchronous: bool) -> None:
    """Raise a TypeError if an object is no store of this kind of client, and not None."""
    for name in () if store is None else ("get", "add", "set"):
        method = getattr(store, name, None)
        if not callable(method):
            raise TypeError(
                f"store must have get, add and set: {type(store).__name__} lacks {name}"
            )
        if iscoroutinefunction(method) and not asynchronous:
            raise TypeError(f"store: {type(store).__name__}.{name} is async, for an AsyncClient")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
