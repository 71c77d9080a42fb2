"""The SDK alone: the plugin sends the requests. Run `make build` first.

`minimal.py call` makes the calls that JSON lines on its standard input ask for.
"""

import json
import os
import re
import sys
from base64 import b64decode, b64encode
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import extism

NAMES = ["auth_url", "base_url", "environment", "client_id", "client_secret"]
NAMES += ["customer_id", "user_id"]
PLUGIN = Path(__file__).parents[2] / "dist" / "rostering.wasm"
# libextism's line: time, level, target, the plugin's line, the instance's id
LINE = re.compile(r'\S+ +(DEBUG|WARN) extism::pdk: (.*) plugin="\S+"\n', re.DOTALL)


def list_jobs() -> None:
    """Print the jobs of the user whom the ROSTERING_* variables name."""
    # snippet
    config = {name: os.environ.get(f"ROSTERING_{name.upper()}", "") for name in NAMES}
    hosts = [urlsplit(config[name]).hostname or "" for name in ("auth_url", "base_url")]
    manifest = {"wasm": [{"path": str(PLUGIN)}], "allowed_hosts": hosts, "config": config}
    try:
        with extism.Plugin(manifest, wasi=True) as plugin:  # one per process: it keeps the token
            print(plugin.call("list_jobs", b"").decode())
    except extism.Error as error:
        try:
            own = json.loads(str(error))  # an error of the plugin, which is a JSON object
        except ValueError:  # one of libextism, which has no reason
            own = {"code": "network_error", "message": "no response; check auth_url and base_url"}
        sys.exit(f"{own['code']}: {own['message']}")
    # end of snippet


def make_calls() -> None:
    """Respond to requests with the op versions, create, call or close."""
    os.environ["NO_PROXY"] = "*"  # libextism sends even loopback's requests through a proxy
    instances: dict[str, extism.Plugin] = {}
    lines: list[str] = []
    log: Any = extism.set_log_custom(lines.append, "extism::pdk=debug")  # type: ignore[arg-type]
    for line in sys.stdin:
        request = json.loads(line)
        name = request.get("instance", "")
        response: dict[str, Any] = {"id": request["id"]}
        try:
            match request["op"]:
                case "versions":
                    sdk = f"extism {version('extism')}, libextism {extism.extism_version()}"
                    response["versions"] = f"Python {sys.version.split()[0]}, {sdk}"
                case "create":
                    manifest = {key: request.get(key) or {} for key in ("config",)}
                    manifest = {"wasm": [{"path": request["wasm"]}]}
                    manifest["config"] = request.get("config", {})
                    manifest["allowed_hosts"] = request.get("allowed_hosts", [])
                    # The default of `functions` is every host function of the program.
                    wasi = request.get("wasi", False)
                    instances[name] = extism.Plugin(manifest, wasi=wasi, functions=[])
                case "call":
                    data = b64decode(request.get("input") or "")
                    output = instances[name].call(request["export"], data)
                    response["output"] = b64encode(output).decode()
                case "close":
                    del instances[name]
        except Exception as error:  # noqa: BLE001 - the plugin's own errors are JSON objects
            response["error" if str(error).startswith("{") else "trap"] = str(error)
        log.drain()
        found = [match for match in map(LINE.fullmatch, lines) if match]
        response["logs"] = [{"level": match[1].lower(), "line": match[2]} for match in found]
        lines.clear()
        print(json.dumps(response), flush=True)


if __name__ == "__main__":
    make_calls() if sys.argv[1:] == ["call"] else list_jobs()
