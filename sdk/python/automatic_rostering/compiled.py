"""The plugin as machine code, which a later process finds where Python keeps its bytecode."""

import sys
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path

import wasmtime
from wasmtime import Engine, Module

#: The most memory of an instance, in bytes.
MEMORY = 16 << 20
#: What wrote the bytecode of this module, unless that is in an archive.
_LOADER = __spec__.loader if isinstance(__spec__.loader, SourceFileLoader) else None
#: The file with the machine code. Who can write there can replace the bytecode, too.
FILE = Path(__spec__.cached).with_suffix(".cwasm") if _LOADER and __spec__.cached else None
_DIGEST = sha256().digest_size


@lru_cache(maxsize=1)
def compiled(wasm: bytes) -> tuple[Engine, Module]:
    """Compile a plugin, which would take most of the time of a first call, once for all instances."""
    engine = _engine()
    if not (_LOADER and FILE):
        return engine, Module(engine, wasm)
    with suppress(OSError, wasmtime.WasmtimeError):  # of another version of wasmtime, or for another processor
        data = FILE.read_bytes()
        if data == _with_digest(wasm, data[_DIGEST:]):
            return engine, Module.deserialize(engine, data[_DIGEST:])
    module = Module(engine, wasm)
    if not sys.dont_write_bytecode:
        kept = _with_digest(wasm, bytes(module.serialize()))
        _LOADER.set_data(str(FILE), kept, _mode=0o644)  # in one step, and without an error if that is not permitted
    return engine, module


def _with_digest(wasm: bytes, code: bytes) -> bytes:
    """Return machine code after what shows that a file is damaged, or has another plugin."""
    return sha256(wasm + code).digest() + code


def _engine() -> Engine:
    config = wasmtime.Config()
    config.cranelift_opt_level = "none"
    config.parallel_compilation = False  # its threads are missing after a fork
    # By default, an instance reserves 8 GiB of addresses, of which some systems have few.
    config.memory_reservation = MEMORY
    config.memory_reservation_for_growth = config.memory_guard_size = 0
    # The plugin is trusted code, and runs for a millisecond: what would guard against other code, or make it faster,
    # would double the time of compiling it.
    config.cranelift_flag_set("enable_heap_access_spectre_mitigation", "false")
    config.cranelift_flag_set("regalloc_algorithm", "single_pass")
    return Engine(config)
