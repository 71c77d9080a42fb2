"""Runs the plugin on wasmtime. It imports nothing: a call is a function of bytes."""

import struct
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import wasmtime
from wasmtime import Func, Store

from .compiled import MEMORY, compiled

_HEAD = struct.Struct("<4I")


class Broken(Exception):  # noqa: N818 - not the program's error
    """A file is not the plugin, or what it returned is not a result."""


#: Why a file cannot be loaded, or a call failed.
FAILURES = (Broken, wasmtime.WasmtimeError, wasmtime.Trap)


class Result(NamedTuple):
    """What a call returns."""

    failed: bool  # whether `output` is an error
    state: bytes  # for the next call
    output: bytes
    log: bytes  # lines, each after a letter for its level


class Instance:
    """An instance of the plugin, for one thread at a time. It keeps nothing, and remains usable after a trap."""

    def __init__(self, wasm: bytes) -> None:
        engine, module = compiled(wasm)
        if imported := sorted({part.module for part in module.imports}):
            raise Broken(f"it imports {', '.join(imported)}")
        self._store = store = Store(engine)
        store.set_limits(memory_size=MEMORY)
        self._exports: Any = wasmtime.Instance(store, module, []).exports(store)
        self._seen = memoryview(b"")

    def call(self, export: str, state: bytes, data: bytes) -> Result:
        """Call an export with the state that the last call returned, at first an empty one, and an input."""
        room, function = self._exports.get("room"), self._exports.get(export)
        if not (isinstance(room, Func) and isinstance(function, Func) and "memory" in self._exports):
            raise Broken(f'it has no export "{export}"')
        at = room(self._store, len(state) + len(data))
        self._part(at, len(state) + len(data))[:] = state + data
        at = function(self._store, len(state), len(data))
        failed, *lengths = _HEAD.unpack(self._part(at, _HEAD.size))
        parts = self._part(at + _HEAD.size, sum(lengths))
        ends = [*accumulate(lengths, initial=0)]
        return Result(bool(failed), *(bytes(parts[begin:end]) for begin, end in pairwise(ends)))

    def _part(self, at: int, length: int) -> memoryview:
        """Return a part of the plugin's memory. wasmtime reads offsets as signed numbers."""
        memory, at = self._exports["memory"], at % (1 << 32)
        size = memory.data_len(self._store)
        if at + length > size:
            raise Broken("it uses more memory than it has")
        if size != len(self._seen):  # it has grown, which may have moved it
            self._seen = memoryview(memory.get_buffer_ptr(self._store)).cast("B")
        return self._seen[at : at + length]

    def close(self) -> None:
        """Free the instance."""
        self._store.close()
