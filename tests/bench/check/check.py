"""Compares what the built plugin costs with a baseline: figures that are the same on every machine.

Usage: check.py DIST BASELINE [--update]

For each build it has the bytes of the file, and for each call the host calls, how many of them
go-sdk forwards to the Extism kernel, the pages of memory afterwards, and the operators executed,
which wasmtime counts as fuel.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wasmtime import Config, Engine, FuncType, Instance, Linker, Module, Store

NOW = 1_800_000_000
TOKEN = "t" * 900
TOKEN_RESPONSE = json.dumps({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600})
CONFIG = {
    "environment": "stage",
    "auth_url": "https://login.example",
    "base_url": "https://service.example",
    "client_id": "client",
    "client_secret": "the-secret",
    "customer_id": "c",
    "user_id": "u",
}
FORWARDED = ("alloc", "free", "length", "load_u8", "store_u8", "output_set", "error_set")
FUEL = 1 << 40
COLUMNS = ("file", "call", "host calls", "forwarded", "pages", "operators")


class Host:
    """An Extism host with one instance, which sends nothing.

    `statuses` are those of the service's next responses, 200 without any.
    """

    def __init__(self, wasm: Path) -> None:
        config = Config()
        config.consume_fuel = True
        engine = Engine(config)
        self.store = Store(engine)
        self.store.set_fuel(FUEL)
        self.calls: Counter[str] = Counter()
        self.memory = bytearray(1 << 20)  # blocks, each after a word with its length
        self.next = 8
        self.vars: dict[bytes, bytes] = {}
        self.input = self.output = self.error = b""
        self.status = 200
        self.statuses: list[int] = []
        module = Module.from_file(engine, str(wasm))
        linker = Linker(engine)
        for imported in module.imports:
            name, kind = str(imported.name), imported.type
            linker.define_func(
                imported.module,
                name,
                kind,
                self.counted(name, kind),
                access_caller=name == "clock_time_get",
            )
        self.instance: Instance = linker.instantiate(self.store, module)

    def counted(self, name: str, kind: FuncType) -> Callable[..., Any]:
        function = getattr(self, name)
        wide = [str(p) == "i64" for p in kind.params]

        def call(*args: Any) -> Any:
            self.calls[name] += 1
            if name == "clock_time_get":
                return function(*args)
            return function(
                *(a % (1 << 64 if w else 1 << 32) for a, w in zip(args, wide, strict=True))
            )

        return call

    def call(self, export: str, given: dict[str, Any] | None = None) -> bytes:
        self.next, self.output, self.error = 8, b"", b""
        self.input = json.dumps(given).encode() if given is not None else b""
        self.calls.clear()
        self.store.set_fuel(FUEL)
        if self.instance.exports(self.store)[export](self.store) != 0:
            raise SystemExit(f"{export}: {self.error.decode()}")
        return self.output

    def row(self) -> tuple[int, int, int, int]:
        """What the last call cost."""
        pages = self.instance.exports(self.store)["memory"].size(self.store)
        return (
            self.calls.total(),
            sum(self.calls[f] for f in FORWARDED),
            pages,
            FUEL - self.store.get_fuel(),
        )

    # The blocks of memory.

    def alloc(self, size: int) -> int:
        at = self.next + 8
        self.next = (at + size + 7) & ~7
        self.store_u64(at - 8, size)
        return at

    def put(self, block: bytes) -> int:
        if not block:
            return 0
        at = self.alloc(len(block))
        self.memory[at : at + len(block)] = block
        return at

    def block(self, at: int) -> bytes:
        return bytes(self.memory[at : at + self.length(at)])

    def free(self, at: int) -> None:
        pass

    def length(self, at: int) -> int:
        return self.load_u64(at - 8) if at else 0

    def load_u8(self, at: int) -> int:
        return self.memory[at]

    def load_u64(self, at: int) -> int:
        return int.from_bytes(self.memory[at : at + 8], "little")

    def store_u8(self, at: int, value: int) -> None:
        self.memory[at] = value & 0xFF

    def store_u64(self, at: int, value: int) -> None:
        self.memory[at : at + 8] = value.to_bytes(8, "little")

    def input_length(self) -> int:
        return len(self.input)

    def input_load_u8(self, at: int) -> int:
        return self.input[at]

    def input_load_u64(self, at: int) -> int:
        return int.from_bytes(self.input[at : at + 8], "little")

    # What the plugin asks of its host.

    def output_set(self, at: int, size: int) -> None:
        self.output = bytes(self.memory[at : at + size])

    def error_set(self, at: int) -> None:
        self.error = self.block(at)

    def config_get(self, key: int) -> int:
        return self.put(CONFIG.get(self.block(key).decode(), "").encode())

    def var_get(self, key: int) -> int:
        return self.put(self.vars.get(self.block(key), b""))

    def var_set(self, key: int, value: int) -> None:
        self.vars[self.block(key)] = self.block(value) if value else b""

    def http_request(self, request: int, body: int) -> int:
        if json.loads(self.block(request))["url"].endswith("/connect/token"):
            self.status = 200
            return self.put(TOKEN_RESPONSE.encode())
        self.status = self.statuses.pop(0) if self.statuses else 200
        return self.put(b"the jobs")

    def http_status_code(self) -> int:
        return self.status

    def log(self, line: int) -> None:
        pass

    log_debug = log_warn = log

    def clock_time_get(self, caller: Any, clock: int, precision: int, result: int) -> int:
        caller["memory"].write(caller, (NOW * 10**9).to_bytes(8, "little"), result)
        return 0


def measure(wasm: Path) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Makes the calls whose cost matters, in an order in which each finds what it needs."""
    host = Host(wasm)
    now = {"now": NOW}

    def do(
        name: str, export: str, given: dict[str, Any] | None = None
    ) -> tuple[str, tuple[int, int, int, int]]:
        host.call(export, given)
        return name, host.row()

    def begin(**given: Any) -> dict[str, Any]:
        return {"accepts": ["store"]} | now | given

    def flow() -> dict[str, Any]:
        return json.loads(host.output)["flow"]

    yield do("check", "check")
    yield do("get_token, the first", "get_token", now)
    token = json.loads(host.output)
    yield do("get_token", "get_token", now)
    yield do("list_jobs, the first", "list_jobs", now)
    yield do("list_jobs", "list_jobs", now)
    yield do(
        "send_request", "send_request", now | {"path": "/jobs/7", "method": "PUT", "body": "{}"}
    )
    host.statuses = [401, 200]
    yield do("list_jobs, a 401 first", "list_jobs", now)
    yield do("set_token", "set_token", token | now)
    yield do("request", "request")
    yield do("explain", "explain", {"status": 500, "body": "x" * 4096, "tokens": [TOKEN]})
    yield do("begin, with a token", "begin", begin())
    yield do("clear_token", "clear_token")
    yield do("begin", "begin", begin())
    yield do("resume with nothing in the store", "resume", now | {"flow": flow(), "value": None})
    yield do("resume with the lock", "resume", now | {"flow": flow(), "added": True})
    yield do(
        "resume with a token",
        "resume",
        now | {"flow": flow(), "status": 200, "headers": {}, "body": TOKEN_RESPONSE},
    )
    yield do("resume when it is written", "resume", now | {"flow": flow()})


def main(dist: Path, baseline: Path, *options: str) -> int:
    rows = [COLUMNS]
    for file in ("rostering.wasm", "rostering-nowasi.wasm"):
        rows.append((file, "bytes", str((dist / file).stat().st_size), "", "", ""))
        rows += [(file, name, *map(str, figures)) for name, figures in measure(dist / file)]
    if options == ("--update",):
        baseline.write_text("".join("\t".join(row) + "\n" for row in rows))
        return 0
    old = [tuple(line.split("\t")) for line in baseline.read_text().split("\n")[:-1]]
    if old == rows:
        print(f"the plugin costs what the baseline says, in {len(rows) - 1} rows of figures")
        return 0
    for row in sorted(set(old) ^ set(rows), key=lambda r: (r[:2], r in rows)):
        print(
            "+" if row in rows else "-",
            *(f"{name}: {value};" for name, value in zip(COLUMNS, row, strict=True) if value),
        )
    print(
        "The costs have changed. If the change is worth them: make bench-baseline, and commit it."
    )
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]))
