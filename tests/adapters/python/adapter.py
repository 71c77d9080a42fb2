"""Drives the library through its public API: see tests/adapters/README.md.

With --async it uses `AsyncClient`.
"""

import asyncio
import inspect
import json
import logging
import os
import pickle
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from traceback import TracebackException
from typing import Any

import httpx
import stores

from automatic_rostering import (
    AsyncClient,
    Client,
    Config,
    RosteringAuth,
    RosteringError,
    Status,
    Token,
    async_retry,
    retry,
)

Json = dict[str, Any]

USE_ASYNC = "--async" in sys.argv
LONGEST_LINE = 1 << 30  # bytes
writing = threading.Lock()


def write(response: Json) -> None:
    """Write a response or an event."""
    line = json.dumps(response) + "\n"
    with writing:
        sys.stdout.write(line)
        sys.stdout.flush()


async def run(work: Callable[[], Any], times: int = 1) -> Any:
    """Call a function of the library: in a thread, unless it is one for asyncio. The last call counts."""
    if not USE_ASYNC:

        def all_calls() -> Any:
            for _ in range(times - 1):
                with suppress(RosteringError):
                    work()
            return work()

        return await asyncio.to_thread(all_calls)
    for left in reversed(range(times)):
        try:
            result = work()
            if inspect.isawaitable(result):
                result = await result
        except RosteringError:
            if not left:
                raise
    return result


class Events(logging.Handler):
    """Writes a client's log lines as events."""

    def __init__(self, client: str) -> None:
        super().__init__()
        self.client = client

    def emit(self, record: logging.LogRecord) -> None:
        level = "warn" if record.levelno == logging.WARNING else "debug"
        write({"event": "log", "client": self.client, "level": level, "line": record.getMessage()})


def new_http(**options: Any) -> Any:
    """Return an HTTP client that is not a client's own."""
    kind = httpx.AsyncClient if USE_ASYNC else httpx.Client
    return kind(timeout=None, trust_env=False, **options)


def arguments(function: Callable[..., Any], request: Json) -> Json:
    """Return those parts of a request that are arguments of a function, of which many have the names of httpx."""
    all_of_them = request.copy()
    if "query" in request:
        all_of_them["params"] = request["query"]
    if "body" in request:
        body = request["body"].encode()
        once = later(body) if USE_ASYNC else iter([body])
        all_of_them["content"] = once if "once" in request else body
    if "token" in request:
        all_of_them["token"] = Token.from_json(json.dumps(request["token"]))
    return {name: all_of_them[name] for name in inspect.signature(function).parameters if name in all_of_them}


class Adapter:
    """The clients by name, and the requests in progress by id."""

    def __init__(self) -> None:
        self.clients: Json = {}
        self.now: Json = {}  # what the clock of each client shows
        self.tasks: dict[Any, asyncio.Task[None]] = {}

    @cached_property
    def http(self) -> Any:
        """What sends the program's own requests."""
        return new_http(follow_redirects=True)

    async def run(self) -> None:
        lines = asyncio.StreamReader(limit=LONGEST_LINE)
        protocol = asyncio.StreamReaderProtocol(lines)
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1000))
        await loop.connect_read_pipe(lambda: protocol, sys.stdin)
        while line := await lines.readline():
            request = json.loads(line)
            self.tasks[request["id"]] = asyncio.create_task(self.respond(request))
            if request["op"] == "open":
                await self.tasks[request["id"]]

    async def respond(self, request: Json) -> None:
        try:
            response = await self.perform(request)
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the runner sees it
            response = failure(error)
        del self.tasks[request["id"]]
        write({"id": request["id"], **response})

    async def perform(self, request: Json) -> Json:
        client = request.get("client", "")
        self.now[client] = request.get("now", self.now.get(client))
        match request["op"]:
            case "open":
                self.clients[client] = await self.open(request)
                return {}
            case "store":
                operation = getattr(stores.make(**request["store"], for_asyncio=USE_ASYNC), request["do"])
                call = partial(operation, **arguments(operation, request))
            case "cancel":  # Python cannot cancel a thread
                if USE_ASYNC and (task := self.tasks.get(request.get("target"))):
                    task.cancel()
                return {}
            case "own":
                auth = RosteringAuth(self.clients[client]) if client else None
                send = self.http.request
                call = partial(send, **{"method": "GET", "auth": auth} | arguments(send, request))
            case _:
                call = retried(make_call(self.clients[client], request), request.get("retry"))
        try:
            response = succeeded(await run(call, request.get("times", 1)))
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - the runner sees it
            response = failure(error)
        if client in self.clients:
            response["plugin_calls"] = self.clients[client]._shared._plugin.runs  # noqa: SLF001
        return response

    async def open(self, request: Json) -> Any:
        name = request["client"]
        logger = logging.Logger(name)  # noqa: LOG001 - it goes with the client
        logger.addHandler(Events(name))
        options: Json = {"logger": logger, "clock": lambda: self.now[name]}
        options |= {field: request[field] for field in ("timeout", "max_body", "headers") if field in request}
        if "wasm" in request:
            options["plugin"] = request["wasm"]
        if "store" in request:
            options["store"] = stores.make(**request["store"], for_asyncio=USE_ASYNC)
        if "user_agent" in request:
            options["http"] = new_http(headers={"User-Agent": request["user_agent"]})
        if USE_ASYNC:
            return await AsyncClient(Config.from_env(request["variables"]), **options).open()
        return await run(lambda: Client(Config.from_env(request["variables"]), **options))


def make_call(client: Any, request: Json) -> Callable[[], Any]:
    """Return the call that a request wants. The ids are those of a view, or arguments of send_request."""
    if "customer_id" in request and request["op"] != "send_request":
        client = client.for_customer(request.pop("customer_id"))
    if "user_id" in request and request["op"] != "send_request":
        client = client.for_user(request.pop("user_id"))
    call = getattr(client, request["op"])
    return partial(call, **arguments(call, request))


def retried(call: Callable[[], Any], options: Json | None) -> Any:
    """Return a call with retries, if there are options."""
    if options is None:
        return call
    code = options.get("code")
    retry_if = code and (lambda error: error.code == code)
    return partial(async_retry if USE_ASYNC else retry, call, deadline=options["deadline"], retry_if=retry_if)


async def later(body: bytes) -> AsyncIterator[bytes]:
    """Yield a body once."""
    yield body


def succeeded(result: Any) -> Json:
    """Return what a call returned."""
    match result:
        case httpx.Response():
            body = result.content.decode("latin-1")
            return {"status": result.status_code, "headers": dict(result.headers), "body": body}
        case Token():
            return {"json": json.loads(result.to_json())}
        case Status():
            return {"json": result.to_dict()}
    return {"json": result}


def failure(error: BaseException) -> Json:
    """Return what an error says."""
    response: Json = {"text": f"{type(error).__name__}: {error}", "shown": shown(error)}
    if isinstance(error, RosteringError):
        fields = error.full()
        fields.pop("headers", None)
        response |= {"error": json.dumps(fields), "status": error.status}
        response["headers"] = dict(error.headers or {})
        response["body"] = (error.body or "").encode().decode("latin-1")
        response["cause"] = repr(error.__cause__) if error.__cause__ else None
    return {name: value for name, value in response.items() if value}


def shown(error: BaseException) -> str:
    """Return an error with its traceback and the variables there, its copies, and all that it refers to."""
    frames = error.__traceback__
    while frames and not frames.tb_frame.f_globals["__name__"].startswith("automatic_rostering"):
        frames = frames.tb_next  # the adapter's, whose variables have secrets
    texts = [*TracebackException(type(error), error, frames, capture_locals=True).format()]
    seen = set[int]()
    left: list[Any] = [error, pickle.loads(pickle.dumps(error))]  # noqa: S301
    while left:
        value = left.pop()
        if id(value) in seen or inspect.isroutine(value) or isinstance(value, type):
            continue
        seen.add(id(value))
        texts.append(repr(value))
        if isinstance(value, BaseException):
            left += [value.args, value.__cause__, value.__context__]
        if isinstance(value, Mapping):
            texts += [f"{name}: {part}" for name, part in value.items()]
            left += value.values()
        elif isinstance(value, list | tuple | set):
            left += value
        left += getattr(value, "__dict__", {}).values()
    return "\n".join(texts)


if __name__ == "__main__":
    asyncio.run(Adapter().run())
    sys.stdout.flush()
    os._exit(0)  # threads may still be in calls
