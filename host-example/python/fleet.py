"""One process of a fleet that shares a token.

ROSTERING_STORE is the store: redis://… or the path of a folder; without it, nothing is shared. Each
line on standard input is a number of calls to make. The response is a line of JSON:
{"calls": 5, "token": "1f2e3d4c", "expires_at": 1800000000}, where `token` is the start of the
token's SHA-256.
"""

import json
import os
import sys
from hashlib import sha256

import redis

from automatic_rostering import Client, Config, FileStore, RosteringError, Store
from automatic_rostering.redis_store import RedisStore


def open_store(name: str) -> Store | None:
    """Open the store. While it is down, the client continues without it."""
    if name.startswith("redis://"):
        return RedisStore(redis.Redis.from_url(name, socket_timeout=1, socket_connect_timeout=1))
    return FileStore(name) if name else None


def make(calls: int, client: Client) -> dict[str, object]:
    """Make calls, and report the token of the last one."""
    for _ in range(calls):
        client.list_jobs()
    if not calls:
        return {"calls": 0}
    token = client.get_token()
    digest = sha256(token.access_token.encode()).hexdigest()[:8]
    return {"calls": calls, "token": digest, "expires_at": int(token.expires_at.timestamp())}


try:
    store = open_store(os.environ.get("ROSTERING_STORE", ""))
    with Client(Config.from_env(), store=store) as client:
        for line in sys.stdin:
            print(json.dumps(make(int(line), client)), flush=True)
except (RosteringError, OSError) as error:  # the latter if the folder cannot be created
    sys.exit(str(error))
