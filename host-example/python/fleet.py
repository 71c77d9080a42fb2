"""One process of a fleet that shares a token through Redis.

Takes the variables of main.py, and ROSTERING_REDIS, the URL of Redis; without it, nothing is
shared. Each line on standard input is a number of calls to make. The answer is a line of JSON:
{"calls": 5, "token": "1f2e3d4c", "expires_at": 1800000000}, where `token` is the start of the
token's SHA-256. A call that fails ends the process.
"""

import json
import os
import sys
from collections.abc import Mapping
from hashlib import sha256

import redis

from main import read_config
from automatic_rostering import Client
from automatic_rostering.plugin import BUNDLED
from automatic_rostering.redis_store import RedisStore


def main() -> None:
    """Make calls as standard input says."""
    with open_client(os.environ) as client:
        for line in sys.stdin:
            print(json.dumps(make(int(line), client)), flush=True)


def open_client(env: Mapping[str, str]) -> Client:
    """Open a client that shares its token if there is a Redis."""
    store = None
    if url := env.get("ROSTERING_REDIS"):
        client = redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)
        store = RedisStore(client)
    return Client(read_config(env), store=store, plugin=env.get("ROSTERING_WASM") or BUNDLED)


def make(calls: int, client: Client) -> dict[str, object]:
    """Make calls, and report the token of the last one."""
    for _ in range(calls):
        client.list_jobs()
    if not calls:
        return {"calls": 0}
    token = client.get_token()
    digest = sha256(token.access_token.encode()).hexdigest()[:8]
    return {"calls": calls, "token": digest, "expires_at": int(token.expires_at.timestamp())}


if __name__ == "__main__":
    main()
