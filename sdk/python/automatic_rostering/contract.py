"""The version of the contract between this package and the plugin."""

import json
from collections.abc import Callable

from .extism_host import Trap

#: The version of the contract that this package implements.
CONTRACT = 1


def check_contract(call: Callable[[str, bytes], bytes]) -> None:
    """Raise a ValueError unless a plugin has this contract version. `call` calls its exports."""
    try:
        found = f"contract {json.loads(call('version', b''))['contract']}"
    except (Trap, ValueError, LookupError, TypeError):
        found = 'no export "version": it is not a build of Automatic Rostering'
    if found != f"contract {CONTRACT}":
        raise ValueError(
            f"this library needs a plugin of contract {CONTRACT}, and this one has {found};"
            " use the library from the plugin's release"
        )
