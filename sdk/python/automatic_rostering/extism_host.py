"""Runs a plugin on wasmtime, with the functions of Extism's extism:host/env that it imports."""

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from importlib.resources import files
from logging import DEBUG, WARNING
from typing import Any

import wasmtime
from wasmtime import Engine, Func, FuncType, Linker, Module, Store, ValType

_ENV = "extism:host/env"
_NEXT, _CONTENTS, _END = 0xFFF8, 0x10000, 0x1000000  # in the memory of extism_host.wat
_VARS = 1 << 20  # bytes of all values

Log = Callable[[int, str], None]


class Trap(Exception):  # noqa: N818 - WebAssembly's word
    """The plugin did what this host does not permit, or is not a plugin."""


class Instance:
    """An instance of a plugin, for one thread at a time. It remains usable after a trap."""

    def __init__(self, wasm: bytes, config: Mapping[bytes, bytes], log: Log) -> None:
        engine, blocks, plugin = _compile(wasm)
        self._store = store = Store(engine)
        store.set_limits(memory_size=_END)
        with Linker(engine) as linker:
            functions = dict(linker.instantiate(store, blocks).exports(store))
            memory: Any = functions.pop("memory")
            self._state = _State(memory.get_buffer_ptr(store), config)
            for name, function in functions.items():
                linker.define(store, _ENV, name, function)
            self._state.define_functions(linker, log)
            self._exports: Any = linker.instantiate(store, plugin).exports(store)
        if "_initialize" in self._exports:
            self.call("_initialize", b"")

    def call(self, export: str, data: bytes) -> tuple[bytes, bytes]:
        """Call an export. Return its output, and its error or b"" if it succeeded."""
        function, state = self._exports.get(export), self._state
        if not isinstance(function, Func):
            raise Trap(f"the plugin has no export {export}")
        state.begin(data)
        failed = function(self._store)
        if failed and not state.error:
            raise Trap(f"{export} returned {failed} without an error")
        return state.output, state.error if failed else b""

    def close(self) -> None:
        """Free the instance."""
        self._store.close()


class _State:
    """What an instance has outside of the plugin. wasmtime refers to it, so it must not refer to the store."""

    def __init__(self, memory: Any, config: Mapping[bytes, bytes]) -> None:  # noqa: ANN401
        self._memory = memoryview(memory).cast("B")
        self._config = config
        self._vars: dict[bytes, bytes] = {}
        self.output = self.error = b""

    def begin(self, data: bytes) -> None:
        """Drop the blocks of the last call, and add the input of the next one."""
        self.output = self.error = b""
        struct.pack_into("<II", self._memory, _NEXT, 1, _CONTENTS)
        self._add(data)

    def define_functions(self, linker: Linker, log: Log) -> None:
        """Add those that are not in extism_host.wat. Their parameters are offsets and a size."""

        def write(level: int, offset: int) -> None:
            log(level, self._read(offset).decode(errors="replace"))

        i64 = ValType.i64()
        functions: dict[str, tuple[Callable[..., Any], int, list[ValType]]] = {
            "config_get": (partial(self._get, self._config), 1, [i64]),
            "var_get": (partial(self._get, self._vars), 1, [i64]),
            "var_set": (self._var_set, 2, []),
            "output_set": (self._output_set, 2, []),
            "error_set": (self._error_set, 1, []),
            "log_debug": (partial(write, DEBUG), 1, []),
            "log_warn": (partial(write, WARNING), 1, []),
            "http_request": (self._http_request, 2, [i64]),
        }
        for name, (function, parameters, results) in functions.items():
            linker.define_func(_ENV, name, FuncType([i64] * parameters, results), function)

    def _get(self, values: Mapping[bytes, bytes], key: int) -> int:
        value = values.get(self._read(key))
        return self._add(value) if value else 0

    def _var_set(self, key: int, value: int) -> None:
        name, data = self._read(key), self._read(value)
        others = sum(len(self._vars[other]) for other in self._vars if other != name)
        if others + len(data) > _VARS:
            raise Trap("the plugin keeps more than 1 MiB")
        self._vars[name] = data

    def _output_set(self, offset: int, size: int) -> None:
        self.output = self._read(offset, size)

    def _error_set(self, offset: int) -> None:
        self.error = self._read(offset)

    def _http_request(self, *_: int) -> int:
        raise Trap("the plugin tried to send a request, which it must leave to the client")

    def _add(self, data: bytes) -> int:
        """Add a block, and return its offset."""
        block, address = struct.unpack_from("<II", self._memory, _NEXT)
        end = address + len(data)
        if 8 * block >= _NEXT or end > _END:
            raise Trap("the plugin needs too much memory")
        struct.pack_into("<II", self._memory, 8 * block, address, len(data))
        struct.pack_into("<II", self._memory, _NEXT, block + 1, end)
        self._memory[address:end] = data
        return int(block) << 32

    def _read(self, offset: int, size: int | None = None) -> bytes:
        """Return the contents of a block, or so many bytes of them."""
        block, at = divmod(offset, 1 << 32)
        if not 0 <= block < struct.unpack_from("<I", self._memory, _NEXT)[0]:
            raise Trap("the plugin uses a block that is not allocated")
        address, length = struct.unpack_from("<II", self._memory, 8 * block)
        end = length if size is None else at + size
        if not at <= end <= length:
            raise Trap("the plugin reads beyond the end of a block")
        return bytes(self._memory[address + at : address + end])


@lru_cache(maxsize=1)
def _compile(wasm: bytes) -> tuple[Engine, Module, Module]:
    """Compile a plugin, which takes most of the time of opening it, once for all instances."""
    config = wasmtime.Config()
    config.cranelift_opt_level = "none"
    config.parallel_compilation = False  # its threads are missing after a fork
    engine, blocks = Engine(config), files(__package__).joinpath("extism_host.wat").read_text()
    return engine, Module(engine, blocks), Module(engine, wasm)
