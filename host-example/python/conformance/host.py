"""The host adapter for PyPI's extism: see tests/conformance/protocol/protocol.go."""

import json
import os
import platform
import re
import sys
import time
from base64 import b64decode, b64encode
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # a script: rostering is next door

import extism
import httpx

from rostering.driver import Driver
from rostering.error import RosteringError
from rostering.send import new_http

# A line of libextism's log: time, level, where it comes from, the plugin's line, its instance.
LOG_LINE = re.compile(r"\S+ +(DEBUG|WARN) extism::pdk: (.*) plugin=\S+\n", re.DOTALL)
TIMEOUT = 30.0  # seconds


class Host:
    """The instances, by name."""

    def __init__(self) -> None:
        self.instances: dict[str, extism.Plugin] = {}
        self.http = new_http()
        self.logs: list[dict[str, str]] = []
        # One for the whole process. It takes more than levels: libextism's own lines are left out,
        # because with RUST_BACKTRACE it makes a stack trace for each error, which takes long.
        self.log = extism.set_log_custom(self.note, "extism::pdk=debug")  # type: ignore[arg-type]

    def note(self, line: str) -> None:
        """Keep a line of the plugin's log."""
        if match := LOG_LINE.fullmatch(line):
            self.logs.append({"level": match[1].lower(), "line": match[2]})

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what a request says."""
        operations = {
            "create": self.create,
            "call": self.call,
            "drive": self.drive,
            "close": self.close,
            "versions": versions,
        }
        self.logs = []
        try:
            answer = operations[request["op"]](request)
        except extism.Error as error:
            answer = {"trap": str(error)}
        except KeyError as error:
            answer = {"trap": f"no {error}"}
        self.log.drain()
        return answer | {"logs": self.logs}

    def create(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make an instance."""
        manifest = {
            "wasm": [{"path": request["wasm"]}],
            "config": request.get("config", {}),
            "allowed_hosts": request.get("allowed_hosts", []),
        }
        wasi = request.get("wasi", False)
        self.instances[request["instance"]] = extism.Plugin(manifest, wasi=wasi, functions=[])
        return {}

    def call(self, request: dict[str, Any]) -> dict[str, Any]:
        """Call an export."""
        plugin = self.instances[request["instance"]]
        try:
            output = plugin.call(request["export"], b64decode(request.get("input", "")))
        except extism.Error as error:
            text = str(error)
            # The SDK has one exception for both. The plugin's own errors are JSON objects.
            return {"error": text} if text.startswith("{") else {"trap": text}
        return {"output": b64encode(output).decode()}

    def drive(self, request: dict[str, Any]) -> dict[str, Any]:
        """Make a call with the driver, whose clock is the input's."""
        plugin = self.instances[request["instance"]]
        fields = json.loads(b64decode(request.get("input", "")).strip() or b"{}")
        now = fields.get("now", time.time())
        driver = Driver(plugin, self.http, timeout=TIMEOUT, clock=lambda: now)
        try:
            output = driver.call(request["export"], fields)
        except RosteringError as error:
            return {"error": json.dumps(known(error))}
        return {"output": b64encode(output).decode()}

    def close(self, request: dict[str, Any]) -> dict[str, Any]:
        """Free an instance."""
        with self.instances.pop(request["instance"]):
            return {}


def known(error: RosteringError) -> dict[str, object]:
    """Give what an error says, as the plugin does: what is not known is left out."""
    fields = {name: value for name, value in vars(error).items() if value is not None}
    if not error.body_truncated:
        del fields["body_truncated"]
    return fields


def versions(_: object) -> dict[str, Any]:
    """Name what runs."""
    names = (
        f"Python {platform.python_version()}",
        f"extism {version('extism')}",
        f"libextism {extism.extism_version()}",
        f"httpx {httpx.__version__}",
    )
    return {"versions": ", ".join(names)}


def main() -> None:
    """Answer each line on standard input."""
    os.environ["NO_PROXY"] = "*"  # libextism sends even loopback's requests through a proxy
    host = Host()
    for line in sys.stdin.buffer:
        print(json.dumps(host.handle(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
