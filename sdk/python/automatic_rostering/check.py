"""Validates options and arguments, before anything is done with them."""

from inspect import iscoroutinefunction

#: In seconds. Sockets take no more than 24 days.
LONGEST_TIMEOUT = 1_000_000


def check(name: str, value: object, kind: type | tuple[type, ...], *others: object) -> None:
    """Raise a TypeError unless a value has one of the types, or is one of the others. A bool is no number."""
    if any(value is other for other in others):
        return
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = [_name(k) for k in kinds] + ["None"] * (None in others)
        raise TypeError(f"{name} must be {' or '.join(names)}, not {_name(type(value))}")


def check_timeout(name: str, value: float | None, *, zero: bool = False) -> None:
    """Raise a TypeError or a ValueError unless a value is a timeout in seconds, or None."""
    check(name, value, (float, int), None)
    if value is not None and not (0 < value <= LONGEST_TIMEOUT or (zero and value == 0)):
        raise ValueError(f"{name} must be positive and at most {LONGEST_TIMEOUT} s, or None")


def check_store(store: object, *, asynchronous: bool) -> None:
    """Raise a TypeError unless an object is a store for this kind of client, or None."""
    if isinstance(store, type):
        raise TypeError(f"store must be an object, not the class {store.__name__}")
    for name in () if store is None else ("get", "add", "set"):
        method = getattr(store, name, None)
        if not callable(method):
            raise TypeError(f"store must have get, add and set: {type(store).__name__} lacks {name}")
        if iscoroutinefunction(method) and not asynchronous:
            found = f"{type(store).__name__}.{name} is async"
            raise TypeError(f"store: {found}; use an AsyncClient, or another store")


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
