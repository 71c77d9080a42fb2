"""Prints the jobs with Extism's SDK alone: the plugin sends the requests."""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import extism

NAMES = ["auth_url", "base_url", "environment", "client_id", "client_secret"]
NAMES += ["customer_id", "user_id"]
PLUGIN = Path(__file__).parents[2] / "plugin" / "rostering.wasm"

config = {name: os.environ.get(f"ROSTERING_{name.upper()}", "") for name in NAMES}
hosts = [urlsplit(config[name]).hostname or "" for name in ("auth_url", "base_url")]
manifest = {"wasm": [{"path": str(PLUGIN)}], "allowed_hosts": hosts, "config": config}
try:
    with extism.Plugin(manifest, wasi=True) as plugin:  # one per process: it keeps the token
        print(plugin.call("list_jobs", b"").decode())
except extism.Error as error:
    sys.exit(str(error))  # a JSON object, or libextism's text if there was no response
