"""Judges options and arguments, before anything is done with them."""

import math


def check(name: str, value: object, kind: type | tuple[type, ...], *others: object) -> None:
    """Raise a TypeError if a value is neither of a type nor one of the others.

    A bool is no number here: it is more likely a mistake.
    """
    if any(value is other for other in others):
        return
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = [k.__name__ for k in kinds] + ["None"] * (None in others)
        raise TypeError(f"{name} must be {' or '.join(names)}, not {type(value).__name__}")
