"""The contract between this package and the plugin, which has its version in a custom section."""

import json

#: The version of the contract that this package implements.
CONTRACT = 1

_MAGIC = b"\0asm\1\0\0\0"
_CUSTOM = 0
_NAME = b"rostering"
_LONGEST = 5  # bytes of a length
_LOW = 0x7F  # seven bits of it are in each byte; the eighth says that there are more


def check_contract(wasm: bytes) -> None:
    """Raise a ValueError if this is not a plugin for this package."""
    try:
        contract = json.loads(_custom_section(wasm))["contract"]
    except (ValueError, LookupError, TypeError, RecursionError):
        contract = None
    if type(contract) is not int:  # a bool is an int too
        raise ValueError('the file is not a build of the plugin: it has no section "rostering"')
    if contract != CONTRACT:
        raise ValueError(
            f"the plugin has contract {contract}, and this library needs {CONTRACT}:"
            " take the library of the plugin's release"
        )


def _custom_section(wasm: bytes) -> bytes:
    """Return the content of the section. Raises a LookupError if it is missing."""
    if not wasm.startswith(_MAGIC):
        raise LookupError
    start = len(_MAGIC)
    while True:
        kind = wasm[start]
        content, end = _length(wasm, start + 1)
        if kind == _CUSTOM:
            name, name_end = _length(wasm, content)
            if wasm[name:name_end] == _NAME and name_end <= end:
                return wasm[name_end:end]
        start = end


def _length(wasm: bytes, start: int) -> tuple[int, int]:
    """Read the length of what follows it, in LEB128. Return where that starts and ends."""
    length = 0
    for i in range(_LONGEST):
        byte = wasm[start + i]
        length |= (byte & _LOW) << 7 * i
        if byte <= _LOW:
            return start + i + 1, start + i + 1 + length
    raise LookupError
