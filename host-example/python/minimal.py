"""The SDK alone; the plugin sends the requests. Run it in the top folder, after make build."""

import json
import os
from urllib.parse import urlsplit

import extism

names = [
    "auth_url",
    "base_url",
    "environment",
    "client_id",
    "client_secret",
    "customer_id",
    "user_id",
]
config = {name: os.environ[f"ROSTERING_{name.upper()}"] for name in names}
manifest = {
    "wasm": [{"path": "dist/rostering.wasm"}],
    "allowed_hosts": [urlsplit(config[name]).hostname for name in ("auth_url", "base_url")],
    "config": config,
}
with extism.Plugin(manifest, wasi=True) as plugin:  # one per process; it keeps the token
    try:
        jobs = json.loads(plugin.call("list_jobs", b""))
    except extism.Error as error:
        print(error)  # a JSON object with code and message, or libextism's own text
    else:
        print(jobs)
