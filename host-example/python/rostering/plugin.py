"""The plugin's instances, as libextism makes and calls them."""

import os
from collections.abc import Sequence
from pathlib import Path

import extism

from .config import Config
from .error import decode_error

_EXPORTS = (
    "get_token",
    "list_jobs",
    "send_request",
    "set_token",
    "clear_token",
    "begin",
    "resume",
)


def open_plugin(
    wasm: str | os.PathLike[str],
    config: Config,
    *,
    allowed_hosts: Sequence[str] = (),
    timeout_ms: int | None = None,
) -> extism.Plugin:
    """Make an instance that may call these hosts by itself. Not safe for several threads."""
    manifest: dict[str, object] = {
        "wasm": [{"data": Path(wasm).read_bytes()}],
        "config": config.keys(),
        "allowed_hosts": list(allowed_hosts),
    }
    if timeout_ms is not None:
        # Other than in some hosts, an instance and its token live on when this has passed.
        manifest["timeout_ms"] = timeout_ms
    try:
        # Without functions=[], the plugin would get all host functions of the program.
        plugin = extism.Plugin(manifest, wasi=True, functions=[])
    except extism.Error as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"cannot load {os.fspath(wasm)}: {reason}") from error
    if not all(map(plugin.function_exists, _EXPORTS)):
        raise ValueError(f"{os.fspath(wasm)} is not the rostering plugin")
    return plugin


def call_export(plugin: extism.Plugin, export: str, data: str) -> bytes:
    """Call an export. Its own error is a RosteringError, anything else an extism.Error."""
    try:
        output: bytes = plugin.call(export, data)
    except extism.Error as error:
        if own := decode_error(str(error)):
            raise own from None
        raise
    return output
