"""The raw host in Python: see tests/adapters/README.md."""

import json
import os
import re
import sys
from typing import Any

import extism

# libextism's line: time, level, target, the plugin's line, the instance's id
LINE = re.compile(r'\S+ +(DEBUG|WARN) extism::pdk: (.*) plugin="\S+"\n', re.DOTALL)

os.environ["NO_PROXY"] = "*"  # libextism sends even loopback's requests through a proxy
lines: list[str] = []
log: Any = extism.set_log_custom(lines.append, "extism::pdk=debug")  # type: ignore[arg-type]
plugin: Any = None
for request in map(json.loads, sys.stdin):
    response: dict[str, Any] = {"id": request["id"]}
    try:
        match request["op"]:
            case "open":
                options = {key: request[key] for key in ("config", "allowed_hosts") if key in request}
                manifest = {"wasm": [{"path": request["wasm"]}], "allowed_hosts": []} | options
                # The default of `functions` is every host function of the program.
                plugin = extism.Plugin(manifest, wasi=request.get("wasi", False), functions=[])
            case "call":
                output = plugin.call(request["export"], request.get("input", "").encode("latin-1"))
                response["output"] = output.decode("latin-1")
    except Exception as error:  # noqa: BLE001 - the plugin's own errors are JSON objects
        response["error" if str(error).startswith("{") else "text"] = str(error)
    log.drain()
    for match in filter(None, map(LINE.fullmatch, lines)):
        print(json.dumps({"event": "log", "level": match[1].lower(), "line": match[2]}))
    lines.clear()
    print(json.dumps(response), flush=True)
