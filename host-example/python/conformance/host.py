"""The host adapter for PyPI's extism: see tests/conformance/protocol/protocol.go."""

import json
import os
import re
import sys
from base64 import b64decode, b64encode
from typing import Any

import extism

# A line of libextism's log: time, level, where it comes from, the plugin's line, its instance.
LOG_LINE = re.compile(r"\S+ +(DEBUG|WARN) extism::pdk: (.*) plugin=\S+\n", re.DOTALL)


class Host:
    """The instances, by name."""

    def __init__(self) -> None:
        self.instances: dict[str, extism.Plugin] = {}
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
        try:
            match request["op"]:
                case "create":
                    return self.create(request)
                case "call":
                    return self.call(request)
                case "close":
                    with self.instances.pop(request["instance"]):
                        return {}
                case op:
                    return {"trap": f"no operation {op}"}
        except extism.Error as error:
            return {"trap": str(error)}
        except KeyError as error:
            return {"trap": f"no {error}"}

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
        answer: dict[str, Any]
        try:
            output = plugin.call(request["export"], b64decode(request.get("input", "")))
            answer = {"output": b64encode(output).decode()}
        except extism.Error as error:
            text = str(error)
            # The SDK has one exception for both. The plugin's own errors are JSON objects.
            answer = {"error": text} if text.startswith("{") else {"trap": text}
        self.logs = []
        self.log.drain()
        return answer | {"logs": self.logs}


def main() -> None:
    """Answer each line on standard input."""
    os.environ["NO_PROXY"] = "*"  # libextism sends even loopback's requests through a proxy
    host = Host()
    for line in sys.stdin.buffer:
        print(json.dumps(host.handle(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
