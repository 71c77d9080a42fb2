"""A process of a fleet; README.md tells what a fleet is.

Beside the variables of main.py, ROSTERING_REDIS is the address of the Redis that it shares its
token through, and without it, it does not share; ROSTERING_LOCK is the lock's time in seconds, 10
if not set. Each line on standard input is a number of calls to make; a line of JSON answers it:
{"calls": 5, "token": "1f2e3d4c", "expires_at": 1800000000}, where `token` is the beginning of its
SHA-256. A call that fails ends the process.
"""

import json
import os
import sys
from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256

from main import BUILT, read_config
from rostering import BaseClient, Config, HttpxClient
from rostering.fleet import Fleet
from rostering.redis_store import RedisStore


def main() -> None:
    """Make calls as standard input says."""
    with closing(open_client(os.environ)) as client:
        for line in sys.stdin:
            print(json.dumps(make(int(line), client)), flush=True)  # noqa: T201


def open_client(env: Mapping[str, str]) -> BaseClient | Fleet:
    """Open a client that shares its token, or one that does not."""
    config = read_config(env)
    if not env.get("ROSTERING_REDIS"):
        return open_alone(config)
    store = RedisStore(env["ROSTERING_REDIS"])
    return Fleet(open_alone, config, store, lock=float(env.get("ROSTERING_LOCK") or 10))


def open_alone(config: Config) -> BaseClient:
    """Open a client."""
    return HttpxClient(os.environ.get("ROSTERING_WASM") or BUILT, config)


def make(calls: int, client: BaseClient | Fleet) -> dict[str, object]:
    """Make calls, and tell with which token the last one was made."""
    for _ in range(calls):
        client.list_jobs()
    if not calls:
        return {"calls": 0}
    token = client.get_token()
    digest = sha256(token.access_token.encode()).hexdigest()[:8]
    return {"calls": calls, "token": digest, "expires_at": int(token.expires_at.timestamp())}


if __name__ == "__main__":
    main()
