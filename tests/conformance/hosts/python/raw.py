"""The plugin in Extism's SDK, without the library."""

import atexit
import logging
import re
from collections.abc import Callable

import extism
from extism.extism import CustomLogger

# time, level, target, the plugin's line, the instance's id
_LINE = re.compile(r'\S+ +(DEBUG|WARN) extism::pdk: (.*) plugin="(\S+)"\n', re.DOTALL)
_loggers: dict[str, logging.Logger] = {}  # by instance
_log: list[CustomLogger] = []  # libextism has one for the whole process


def open_plugin(
    wasm: str, config: dict[str, str], hosts: list[str], logger: logging.Logger, *, wasi: bool
) -> Callable[[str, bytes], bytes]:
    """Open an instance, whose log lines go to a logger, and return what calls its exports."""
    if not _log:
        atexit.register(_log.clear)  # otherwise it would drain after half of this module is gone
        _log.append(extism.set_log_custom(_write, "extism::pdk=debug"))  # type: ignore[arg-type]
    manifest = {"wasm": [{"path": wasm}], "config": config, "allowed_hosts": hosts}
    # The default of `functions` is every host function that the program has registered.
    plugin = extism.Plugin(manifest, wasi=wasi, functions=[])
    _loggers[str(plugin.id)] = logger
    return plugin.call


def drain_log() -> None:
    """Send the lines that libextism has buffered to the loggers."""
    for log in _log:
        log.drain()  # type: ignore[no-untyped-call]


def _write(line: str) -> None:
    if match := _LINE.fullmatch(line):
        _loggers[match[3]].log(getattr(logging, match[1]), "%s", match[2])
