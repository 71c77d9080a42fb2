"""Forks: a child has the memory of libextism, but not the thread of its timer.

At the end of a process libextism joins that thread. In a child of a process that opened a plugin,
it panics there and aborts the process. So such a child ends with `_exit`, after flushing C's files.
"""

import ctypes
import os
from collections.abc import Callable
from functools import cache
from weakref import WeakSet

_forks = 0
_inherited: WeakSet["Inherited"] = WeakSet()


class Inherited:
    """Something that a child must not use; `leave` is called there."""

    def __init__(self) -> None:
        _handle_forks()
        self._forks = _forks
        _inherited.add(self)

    @property
    def is_inherited(self) -> bool:
        """Whether this process was forked after this was made."""
        return self._forks != _forks

    def leave(self) -> None:
        """Make sure that nothing of it is freed in the child."""


@cache
def _handle_forks() -> None:
    if not hasattr(os, "register_at_fork"):  # Windows
        return
    libc = ctypes.CDLL(None)
    handlers: list[Callable[..., object]] = []
    # glibc's on_exit passes the status to its handlers, of which the last one runs first, and
    # before those of the parent. Other systems have nothing like it: see the README.
    if hasattr(libc, "on_exit"):
        handlers = [libc._exit, libc.fcloseall]  # noqa: SLF001 - its name in C

    def in_child() -> None:
        global _forks  # noqa: PLW0603 - a process has one
        _forks += 1
        for handler in handlers:
            libc.on_exit(handler, None)
        for inherited in _inherited:
            inherited.leave()

    os.register_at_fork(after_in_child=in_child)
