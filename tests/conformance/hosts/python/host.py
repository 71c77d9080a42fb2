"""The host adapter: see tests/conformance/protocol/protocol.go.

With --async it uses `AsyncClient`.
"""

import asyncio
import json
import logging
import os
import platform
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any, Self, cast

import extism
import httpx
import raw
from store import AsyncHttpStore, HttpStore

from automatic_rostering import AsyncClient, Client, Config, RosteringError
from automatic_rostering.call import Call
from automatic_rostering.step import Result
from automatic_rostering.thread import in_thread

USE_ASYNC = "--async" in sys.argv
LONGEST_LINE = 1 << 30  # bytes

Json = dict[str, Any]


class Lines(logging.Handler):
    """Keeps log lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Json] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a line."""
        level = "warn" if record.levelno == logging.WARNING else "debug"
        self.lines.append({"level": level, "line": record.getMessage()})

    def take(self) -> list[Json]:
        """Return the lines logged since the last call."""
        raw.drain_log()
        lines, self.lines = self.lines, []
        return lines


class Instance:
    """An instance of the SDK, or a client of the library."""

    client: Client | AsyncClient | None = None
    export: Callable[[str, bytes], bytes]
    log: Lines

    @classmethod
    async def create(cls, request: Json) -> Self:
        """Make an instance."""
        instance = cls()
        instance.log = Lines()
        logger = logging.Logger(request["instance"])  # noqa: LOG001 - it goes with the instance
        logger.addHandler(instance.log)
        config, wasm = request.get("config", {}), request["wasm"]
        if request.get("client"):
            instance.client = await open_client(config, request.get("store"), logger, wasm)
            instance.export = instance.client._core.plugin.call
        else:
            hosts = request.get("allowed_hosts", [])
            instance.export = raw.open_plugin(
                wasm, config, hosts, logger, wasi=request.get("wasi", False)
            )
        return instance

    async def run(self, request: Json, data: bytes) -> Result:
        """Make a call with the library."""
        client = cast(Client | AsyncClient, self.client)
        core, fields = client._core, read_input(data)
        if fields is None:
            begin = f'{{"call":"{request["export"]}","input":'.encode() + data + b"}"
            output = self.export("begin", begin)  # which must refuse it
            raise ValueError(f"the plugin accepts what the library cannot express: {output!r}")
        now = fields.pop("now", None)
        body = decode(request["body"]) if "body" in request else None
        clock = core.now if now is None else lambda: now
        call = Call(core.plugin, request["export"], fields, core.store is not None, clock, body)
        timeout = request.get("timeout_ms", 30_000) / 1000
        if isinstance(client, AsyncClient):
            return await client._run(call, timeout)
        return await asyncio.wrap_future(in_thread(partial(client._run, call, timeout)))

    async def close(self) -> None:
        """Close the client, if it is one."""
        if isinstance(self.client, AsyncClient):
            await self.client.close()
        elif self.client:
            await asyncio.wrap_future(in_thread(self.client.close))


async def open_client(
    keys: dict[str, str], store: str | None, logger: logging.Logger, plugin: str
) -> Client | AsyncClient:
    """Open a client with a config that may be wrong, read as programs read theirs."""
    config = Config.from_env({f"ROSTERING_{key.upper()}": keys[key] for key in keys})
    if USE_ASYNC:
        shared = AsyncHttpStore(store) if store else None
        return await AsyncClient(config, store=shared, logger=logger, plugin=plugin).open()
    return Client(config, store=HttpStore(store) if store else None, logger=logger, plugin=plugin)


class Host:
    """The instances, and the requests in progress."""

    def __init__(self) -> None:
        self.instances: dict[str, Instance] = {}
        self.tasks: dict[int, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Respond to each line on standard input."""
        lines = asyncio.StreamReader(limit=LONGEST_LINE)
        protocol = asyncio.StreamReaderProtocol(lines)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
        while line := await lines.readline():
            request = json.loads(line)
            task = asyncio.create_task(self.respond(request))
            self.tasks[request["id"]] = task
            if request["op"] not in ("drive", "close"):  # these do not delay the next request
                await task

    async def respond(self, request: Json) -> None:
        """Respond to a request."""
        try:
            response: Json = await getattr(self, request["op"])(request)
        except asyncio.CancelledError:
            response = {"canceled": True}
        except RosteringError as error:
            response = {"error": json.dumps(error.to_dict())}
        except extism.Error as error:
            # The SDK has one exception for both. The plugin's own errors are JSON objects.
            response = {"error" if str(error).startswith("{") else "trap": str(error)}
        except Exception as error:  # noqa: BLE001 - the test sees it
            response = {"trap": repr(error)}
        if instance := self.instances.get(request.get("instance", "")):
            response["logs"] = instance.log.take()
        del self.tasks[request["id"]]
        print(json.dumps(response | {"id": request["id"]}), flush=True)

    async def versions(self, _: Json) -> Json:
        """Return the versions of what runs."""
        names = (
            f"Python {platform.python_version()}",
            f"extism {version('extism')}",
            f"libextism {extism.extism_version()}",
            f"wasmtime {version('wasmtime')}",
            f"httpx {httpx.__version__}",
        )
        return {"versions": ", ".join(names)}

    async def create(self, request: Json) -> Json:
        """Make an instance."""
        self.instances[request["instance"]] = await Instance.create(request)
        return {}

    async def call(self, request: Json) -> Json:
        """Call an export."""
        export = self.instances[request["instance"]].export
        return {"output": encode(export(request["export"], decode(request.get("input"))))}

    async def drive(self, request: Json) -> Json:
        """Make a call with the library."""
        instance = self.instances[request["instance"]]
        result = await instance.run(request, decode(request.get("input")))
        if isinstance(result, httpx.Response):
            return {"status": result.status_code, "output": encode(result.content)}
        return {"output": encode(result.to_json().encode())}

    async def cancel(self, request: Json) -> Json:
        """Cancel a drive. A thread cannot be canceled: the call of a `Client` continues."""
        if task := self.tasks.get(request["target"]):
            task.cancel()
        return {}

    async def close(self, request: Json) -> Json:
        """Free an instance."""
        await self.instances[request["instance"]].close()
        return {}


def read_input(data: bytes) -> Json | None:
    """Read the input of a call. None if the library cannot express it."""

    def read_object(pairs: list[tuple[str, Any]]) -> Json:
        fields = dict(pairs)
        if len(fields) < len(pairs):
            raise ValueError("a field given twice")
        return fields

    try:
        fields = json.loads(data.strip() or b"{}", object_pairs_hook=read_object)
    except (ValueError, RecursionError):
        return None
    known = isinstance(fields, dict) and type(fields.get("now", 0)) in (int, float)
    return fields if known else None


def encode(data: bytes) -> str:
    """Encode bytes for JSON."""
    return b64encode(data).decode()


def decode(text: str | None) -> bytes:
    """Decode the bytes in JSON."""
    return b64decode(text or "")


if __name__ == "__main__":
    os.environ["NO_PROXY"] = "*"  # libextism sends even loopback's requests through a proxy
    asyncio.run(Host().run())
