"""Prints what the built plugin costs, for baseline.tsv: figures that are the same on every machine.

They are the bytes of each build and, for each direct call and each call of the build that libraries embed, the host calls, how
many of them go-sdk forwards to the Extism kernel, the pages of memory afterwards, and the operators executed, which wasmtime
counts as fuel.
"""

import json
import struct
import sys
from collections import Counter
from pathlib import Path

from wasmtime import Config, Engine, Linker, Module, Store

PLUGIN = Path(__file__).parents[3] / "plugin"
BUILDS = ("rostering.wasm", "rostering-nowasi.wasm", "rostering-core.wasm")
NOW = 1_800_000_000
TOKEN = "t" * 900
GRANT = json.dumps({"access_token": TOKEN, "token_type": "Bearer", "expires_in": 3600})
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
WARM, MOST_WHEN_WARM = ("get_token", "list_jobs"), 24  # of whose host calls a token of 900 bytes would need 113
COLUMNS = ("call", "host calls", "forwarded", "pages", "operators")


class Host:
    """An Extism host with one instance, which sends nothing.

    `statuses` are those of the service's next responses, 200 without any.
    """

    def __init__(self):
        config = Config()
        config.consume_fuel = True
        engine = Engine(config)
        self.store = Store(engine)
        self.store.set_fuel(FUEL)
        self.calls = Counter()
        self.memory = bytearray(1 << 20)  # blocks, each after a word with its length
        self.config = CONFIG
        self.vars = {}
        self.statuses = []
        self.functions = {
            "alloc": self.alloc,
            "free": lambda at: None,
            "length": self.length,
            "load_u8": lambda at: self.memory[at],
            "load_u64": lambda at: word(self.memory, at),
            "store_u8": lambda at, value: self.write(at, bytes([value & 0xFF])),
            "store_u64": lambda at, value: self.write(at, value.to_bytes(8, "little", signed=True)),
            "input_length": lambda: len(self.input),
            "input_load_u8": lambda at: self.input[at],
            "input_load_u64": lambda at: word(self.input, at),
            "output_set": lambda at, size: setattr(self, "output", bytes(self.memory[at : at + size])),
            "error_set": lambda at: setattr(self, "error", self.block(at)),
            "config_get": lambda key: self.put(self.config.get(self.block(key).decode(), "").encode()),
            "var_get": lambda key: self.put(self.vars.get(self.block(key), b"")),
            "var_set": lambda key, value: self.vars.update({self.block(key): self.block(value)}),
            "http_request": self.send,
            "http_status_code": lambda: self.status,
            "log_debug": lambda line: None,
            "log_warn": lambda line: None,
        }
        module = Module.from_file(engine, str(PLUGIN / BUILDS[1]))
        linker = Linker(engine)
        for imported in module.imports:
            linker.define_func(imported.module, imported.name, imported.type, self.counted(imported.name))
        self.exports = linker.instantiate(self.store, module).exports(self.store)

    def counted(self, name):
        def call(*args):
            self.calls[name] += 1
            return self.functions[name](*args)

        return call

    def call(self, export, given=None):
        """Calls an export. Returns its output, and what the call cost."""
        self.next, self.output, self.error = 8, b"", b""
        self.input = json.dumps(given).encode() if given is not None else b""
        self.calls.clear()
        self.store.set_fuel(FUEL)
        self.exports[export](self.store)
        operators = FUEL - self.store.get_fuel()
        if self.error:
            raise SystemExit(f"{export}: {self.error.decode()}")
        forwarded, pages = sum(self.calls[f] for f in FORWARDED), self.exports["memory"].size(self.store)
        return self.output, (self.calls.total(), forwarded, pages, operators)

    def alloc(self, size):
        at = self.next + 8
        self.next = (at + size + 7) & ~7
        self.write(at - 8, size.to_bytes(8, "little"))
        return at

    def write(self, at, data):
        self.memory[at : at + len(data)] = data

    def length(self, at):
        return word(self.memory, at - 8) if at else 0

    def block(self, at):
        return bytes(self.memory[at : at + self.length(at)])

    def put(self, data):
        if not data:
            return 0
        at = self.alloc(len(data))
        self.write(at, data)
        return at

    def send(self, request, body):
        if json.loads(self.block(request))["url"].endswith("/connect/token"):
            self.status = 200
            return self.put(GRANT.encode())
        self.status = self.statuses.pop(0) if self.statuses else 200
        return self.put(b"the jobs")


class Core:
    """An instance of the build that imports nothing."""

    def __init__(self):
        config = Config()
        config.consume_fuel = True
        engine = Engine(config)
        self.store, self.state = Store(engine), b""
        module = Module.from_file(engine, str(PLUGIN / BUILDS[2]))
        self.exports = Linker(engine).instantiate(self.store, module).exports(self.store)
        self.call("configure", CONFIG)

    def call(self, export, given=None):
        """Calls an export. Returns its output, and what the call cost."""
        failed, output, operators = self.run(export, given)
        if failed:
            raise SystemExit(f"{export}: {output.decode()}")
        return output, (0, 0, self.exports["memory"].size(self.store), operators)

    def run(self, export, given=None):
        """Calls an export. Returns whether it failed, its output or error, and how many operators it executed."""
        exports, store, memory = self.exports, self.store, self.exports["memory"]
        given = json.dumps(given, ensure_ascii=False).encode() if given is not None else b""
        store.set_fuel(FUEL)
        memory.write(store, self.state + given, exports["room"](store, len(self.state) + len(given)))
        at = exports[export](store, len(self.state), len(given)) + 16
        operators = FUEL - store.get_fuel()
        failed, *sizes = struct.unpack("<4I", memory.read(store, at - 16, at))
        self.state, output, _ = (bytes(memory.read(store, (at := at + size) - size, at)) for size in sizes)
        return failed, output, operators


def word(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def measure():
    """Makes the calls whose cost matters, in an order in which each finds what it needs. Yields the name and cost of each."""
    host = Host()
    now = {"now": NOW}
    begin = {"accepts": ["store"]} | now

    yield "check", host.call("check")[1]
    token, cost = host.call("get_token", now)
    yield "get_token, the first", cost
    yield "get_token", host.call("get_token", now)[1]
    yield "list_jobs, the first", host.call("list_jobs", now)[1]
    yield "list_jobs", host.call("list_jobs", now)[1]
    yield "send_request", host.call("send_request", now | {"path": "/jobs/7", "method": "PUT", "body": "{}"})[1]
    host.statuses = [401, 200]
    yield "list_jobs, a 401 first", host.call("list_jobs", {"now": NOW + 20})[1]  # a younger token is kept

    core = Core()
    yield "set_token", core.call("set_token", json.loads(token) | now)[1]
    yield "request", core.call("request")[1]
    yield "explain", core.call("explain", {"status": 500, "body": "x" * 4096, "tokens": [TOKEN]})[1]
    yield "begin, with a token", core.call("begin", begin)[1]
    yield "clear_token", core.call("clear_token")[1]
    step, cost = core.call("begin", begin)
    yield "begin", cost
    for name, result in (
        ("with nothing in the store", {"value": None}),
        ("with the lock", {"added": True}),
        ("with a token", {"status": 200, "headers": {}, "body": GRANT}),
        ("when it is written", {}),
    ):
        step, cost = core.call("resume", now | {"flow": json.loads(step)["flow"]} | result)
        yield f"resume {name}", cost


def main():
    print(*COLUMNS, sep="\t")
    for file in BUILDS:
        print(f"bytes of {file}", (PLUGIN / file).stat().st_size, sep="\t")
    for name, cost in measure():
        if name in WARM and cost[0] > MOST_WHEN_WARM:
            sys.exit(f"a warm {name} makes {cost[0]} host calls: neither token nor body must enter the plugin, nor config be read")
        print(name, *cost, sep="\t")


if __name__ == "__main__":
    main()
