"""Drives the library through its public API: see tests/adapters/README.md.

With --async it uses `AsyncClient`.
"""

import asyncio
import inspect
import json
import logging
import os
import pickle
import platform
import re
import ssl
import sys
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import MISSING, fields
from functools import cache, cached_property, partial
from importlib.metadata import version
from math import ceil
from traceback import format_exception, walk_tb
from typing import Any, get_type_hints

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

logging.raiseExceptions = False  # a handler that throws is shown by a test of the library
USE_ASYNC = "--async" in sys.argv
LONGEST_LINE = 1 << 30  # bytes
KINDS = get_type_hints(Config)
TYPED = re.compile(r"true|false|-?\d+")  # a value that is no text, if its field may have another type
THREADS = ThreadPoolExecutor(1000)
writing = threading.Lock()


def write(response: Json) -> None:
    """Write a response or an event."""
    line = json.dumps(response) + "\n"
    with writing:
        sys.stdout.write(line)
        sys.stdout.flush()


async def run(work: Callable[[], Any], times: int = 1) -> Any:
    """Call a function of the library: in a thread, unless it is one for asyncio."""
    if not USE_ASYNC:
        return await asyncio.get_running_loop().run_in_executor(THREADS, lambda: [work() for _ in range(times)][-1])
    for _ in range(times):
        result = work()
        if inspect.isawaitable(result):
            result = await result
    return result


class Events(logging.Handler):
    """Writes a client's log lines as events."""

    def __init__(self, client: str, *, throws: bool) -> None:
        super().__init__()
        self.client, self.throws = client, throws

    def emit(self, record: logging.LogRecord) -> None:
        if self.throws:
            raise OSError("the disk is full")
        level = "warn" if record.levelno == logging.WARNING else "debug"
        line = record.getMessage()
        write({"event": "log", "client": self.client, "level": level, "line": line})


@cache
def tls() -> ssl.SSLContext:
    """Return what HTTP clients share, because it loads certificates."""
    return httpx.create_ssl_context()


def new_http(**options: Any) -> Any:
    """Return an HTTP client that is not a client's own."""
    kind = httpx.AsyncClient if USE_ASYNC else httpx.Client
    return kind(timeout=None, trust_env=False, verify=tls(), **options)


class Opened:
    """A client with its clock."""

    client: Any

    def __init__(self, request: Json) -> None:
        self.now = request.get("now", time.time())

    async def open(self, request: Json, store: Any) -> None:
        logger = logging.Logger(request["client"])  # noqa: LOG001 - it goes with the client
        logger.addHandler(Events(request["client"], throws=request.get("log") == "throws"))
        names = {"timeout": "timeout", "max_body": "max_body", "wasm": "plugin", "headers": "headers"}
        options = {names[name]: request[name] for name in names if name in request} | {"store": store, "logger": logger}
        if "user_agent" in request:
            options["http"] = new_http(headers={"User-Agent": request["user_agent"]})
        if request.get("clock"):
            options["clock"] = lambda: self.now
        if USE_ASYNC:
            self.client = await AsyncClient(read_config(request), **options).open()
        else:
            self.client = await run(lambda: Client(read_config(request), **options))

    def view(self, request: Json) -> Any:
        """Return the client, or the view that a request wants."""
        view = self.client
        if "customer_id" in request:
            view = view.for_customer(request["customer_id"])
        if "user_id" in request:
            view = view.for_user(request["user_id"])
        return view

    def call(self, request: Json) -> Callable[[], Any]:
        """Return the call that a request wants. The ids are those of a view, or arguments of send_request."""
        sent, timeout = request.get("request", {}), only(request, "timeout")
        arguments = content(sent) | only(request, "customer_id", "user_id") | timeout
        calls: dict[str, Callable[[], Any]] = {
            "list_jobs": lambda: self.view(request).list_jobs(**only(sent, "headers"), **timeout),
            "send_request": lambda: self.client.send_request(sent.get("path", ""), **arguments),
            "get_token": lambda: self.view(request).get_token(**only(request, "force", "refused"), **timeout),
            "set_token": lambda: self.client.set_token(Token.from_json(json.dumps(request["token"]))),
            "clear_token": self.client.clear_token,
            "set_secret": lambda: self.client.set_secret(request["secret"]),
            "status": lambda: self.view(request).status(),
            "close": lambda: self.view(request).close(**timeout),
        }
        return calls[request["op"]]


def read_config(request: Json) -> Config:
    """Read the config from variables, or from fields, whose values are texts."""
    if "variables" in request:
        return Config.from_env(request["variables"])
    # Python itself wants some fields; an empty value counts as missing.
    values = {field.name: "" for field in fields(Config) if field.default is MISSING} | request.get("config", {})
    typed = {
        name: json.loads(text) for name, text in values.items() if KINDS.get(name) is not str and TYPED.fullmatch(text)
    }
    return Config(**values | typed)


class Adapter:
    """The clients and stores by name, and the requests in progress by id."""

    def __init__(self) -> None:
        self.clients: dict[str, Opened] = {}
        self.stores: Json = {}
        self.tasks: dict[Any, asyncio.Task[None]] = {}

    @cached_property
    def http(self) -> Any:
        """What sends the program's own requests."""
        return new_http(follow_redirects=True)

    async def run(self) -> None:
        lines = asyncio.StreamReader(limit=LONGEST_LINE)
        protocol = asyncio.StreamReaderProtocol(lines)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
        while line := await lines.readline():
            request = json.loads(line)
            self.tasks[request["id"]] = asyncio.create_task(self.respond(request))
            if request["op"] == "open":
                await self.tasks[request["id"]]

    async def respond(self, request: Json) -> None:
        try:
            response = await self.perform(request)
        except asyncio.CancelledError:
            response = {"canceled": True}
        except Exception as error:  # noqa: BLE001 - the runner sees it
            response = failure(error)
        del self.tasks[request["id"]]
        write({"id": request["id"], **response})

    async def perform(self, request: Json) -> Json:
        if opened := self.clients.get(request.get("client", "")):
            opened.now = request.get("now", opened.now)
        match request["op"]:
            case "versions":
                libraries = [f"{name} {version(name)}" for name in ("wasmtime", "httpx")]
                return {"versions": ", ".join([f"Python {platform.python_version()}", *libraries])}
            case "open":
                opened = Opened(request)
                await opened.open(request, self.store(request.get("store")))
                self.clients[request["client"]] = opened
                return {}
            case "store":
                return await self.use_store(request)
            case "cancel" if USE_ASYNC:
                if task := self.tasks.get(request["target"]):
                    task.cancel()
                return {}
            case "cancel":
                raise NotImplementedError("no cancel: Python cannot cancel a thread")
            case "own":
                auth = {"auth": RosteringAuth(self.clients[request["client"]].client)} if "client" in request else {}
                sent = {"method": "GET"} | content(request["request"]) | only(request, "timeout") | auth
                call = partial(self.http.request, url=request["request"]["url"], **sent)
            case _:
                call = retried(self.clients[request["client"]].call(request), request.get("retry"))
        return succeeded(await run(call, request.get("times", 1)))

    async def use_store(self, request: Json) -> Json:
        arguments = {"key": request.get("key", "")}
        if request["do"] != "get":
            arguments |= {"value": request.get("value", ""), "ttl": ceil(request["ttl"])}
        result = await run(partial(getattr(self.store(request["store"]), request["do"]), **arguments))
        return {{"get": "value", "add": "added", "set": "set"}[request["do"]]: result}

    def store(self, spec: Json | None) -> Any:
        """Return the store of a name, if there is one, and make it first."""
        if spec and spec["name"] not in self.stores:
            self.stores[spec["name"]] = stores.make(spec, for_asyncio=USE_ASYNC)
        return self.stores[spec["name"]] if spec else None


def retried(call: Callable[[], Any], options: Json | None) -> Any:
    """Return a call with retries, if there are options."""
    if options is None:
        return call
    codes = options.get("codes")
    chosen: Json = {} if codes is None else {"retry_if": lambda error: error.code in codes}
    return partial(async_retry if USE_ASYNC else retry, call, **only(options, "deadline"), **chosen)


def only(request: Json, *names: str) -> Json:
    """Return those of the fields that a request has."""
    return {name: request[name] for name in names if name in request}


def content(request: Json) -> Json:
    """Return the arguments of `send_request`, which are those of httpx, too."""
    arguments = only(request, "method", "headers", "json")
    if "query" in request:
        arguments["params"] = request["query"]
    if "body" in request:
        body = b64decode(request["body"])
        once = in_pieces(body) if USE_ASYNC else iter(pieces(body))
        arguments["content"] = once if request.get("once") else body
    return arguments


def pieces(body: bytes) -> Iterable[bytes]:
    """Return the parts of a body."""
    return [body[at : at + 1000] for at in range(0, len(body), 1000)]


async def in_pieces(body: bytes) -> AsyncIterator[bytes]:
    """Yield the parts of a body."""
    for piece in pieces(body):
        yield piece


def succeeded(result: Any) -> Json:
    """Return what a call returned."""
    match result:
        case httpx.Response():
            body = b64encode(result.content).decode()
            return {"status": result.status_code, "headers": dict(result.headers), "body": body}
        case Token():
            return {"token": json.loads(result.to_json())}
        case Status():
            return {"known": result.to_dict()}
    return {}


def failure(error: Exception) -> Json:
    """Return what an error says."""
    response: Json = {"text": str(error), "shown": shown(error)}
    if isinstance(error, RosteringError):
        response |= {"error": json.dumps(error.to_dict()), "status": error.status}
        response["headers"] = dict(error.headers or {})
        response["body"] = b64encode((error.body or "").encode()).decode()
        response["cause"] = repr(error.__cause__) if error.__cause__ else None
        return {name: value for name, value in response.items() if value}
    if isinstance(error, RuntimeError) and str(error).startswith("the client is closed"):
        return {**response, "closed": True}
    named = f"{type(error).__name__}: {error}"
    return {**response, "misuse" if isinstance(error, TypeError | ValueError) else "trap": named}


def shown(error: Exception) -> str:
    """Return an error with its traceback, its copies, and all that it refers to."""
    texts, seen = format_exception(error), set[int]()
    left: list[Any] = [error, pickle.loads(pickle.dumps(error))]  # noqa: S301
    while left:
        value = left.pop()
        if id(value) in seen or inspect.isroutine(value) or isinstance(value, type):
            continue
        seen.add(id(value))
        texts.append(repr(value))
        if isinstance(value, BaseException):
            left += [value.args, value.__cause__, value.__context__, *variables(value)]
        if isinstance(value, Mapping):
            texts += [f"{name}: {part}" for name, part in value.items()]
            left += value.values()
        elif isinstance(value, list | tuple | set):
            left += value
        left += getattr(value, "__dict__", {}).values()
    return "\n".join(texts)


def variables(error: BaseException) -> list[str]:
    """Return the variables in a traceback, as tools show them: of the library and what it calls."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    while frames and not frames[0].f_globals["__name__"].startswith("automatic_rostering"):
        del frames[0]
    return [repr(value) for frame in frames for value in frame.f_locals.values()]


if __name__ == "__main__":
    asyncio.run(Adapter().run())
    sys.stdout.flush()
    os._exit(0)  # threads may still be in calls
