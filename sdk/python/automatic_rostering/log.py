"""The plugin's log lines. libextism has one log for the whole process."""

import atexit
import logging
import re
from contextlib import suppress
from typing import Any
from uuid import UUID

import extism
from extism.extism import CustomLogger

AnyLogger = logging.Logger | logging.LoggerAdapter[Any]

# time, level, target, the plugin's line, the instance's id
_LINE = re.compile(r'\S+ +(DEBUG|WARN) extism::pdk: (.*) plugin="(\S+)"\n', re.DOTALL)
_loggers: dict[str, AnyLogger] = {}  # by instance
_log: list[CustomLogger] = []  # one, once a client has a logger


def connect(instance: UUID, logger: AnyLogger) -> None:
    """Send the lines of an instance to a logger, from now on."""
    if not _log:
        # The target omits libextism's own lines, which have a backtrace for each error.
        atexit.register(_log.clear)  # otherwise it would drain after half of this module is gone
        _log.append(extism.set_log_custom(_write, "extism::pdk=debug"))  # type: ignore[arg-type]
    _loggers[str(instance)] = logger


def disconnect(instance: UUID) -> None:
    """Drop the lines of an instance, from now on."""
    _loggers.pop(str(instance), None)


def drain() -> None:
    """Send the lines that libextism has buffered."""
    _log[0].drain()  # type: ignore[no-untyped-call]


def write(logger: AnyLogger, level: int, line: str) -> None:
    """Log a line. A logger that raises fails no call."""
    with suppress(Exception):
        logger.log(level, "%s", line)


def _write(line: str) -> None:
    if (match := _LINE.fullmatch(line)) and (logger := _loggers.get(match[3])):
        write(logger, getattr(logging, match[1]), match[2])
