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

from automatic_rostering import AsyncClient, Client, Config, RosteringAuth, RosteringError, Token, async_retry, retry

Json = dict[str, Any]

logging.raiseExceptions = False  # a handler that throws is shown by a test of the library
USE_ASYNC = "--async" in sys.argv
LONGEST_LINE = 1 << 30  # bytes
KINDS = get_type_hints(Config)
THREADS = ThreadPoolExecutor(1000)
writing = threading.Lock()


def write(response: Json) -> None:
    """Write a response or an event."""
    line = json.dumps(response) + "\n"
    with writing:
        sys.stdout.write(line)
        sys.stdout.flush()


async def run(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function of the library: in a thread, unless it is one for asyncio."""
    work = partial(work, *arguments, **options)
    if not USE_ASYNC:
        return await asyncio.get_running_loop().run_in_executor(THREADS, work)
    result = work()
    return await result if inspect.isawaitable(result) else result


class Events(logging.Handler):
    """Writes a client's log lines as events."""

    def __init__(self, client: str, *, throws: bool) -> None:
        super().__init__()
        self.client, self.throws = client, throws

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
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
    """A client, its clock, and HTTP clients that are not its own."""

    client: Any

    def __init__(self, request: Json) -> None:
        self.now = request.get("now", time.time())
        #: Sends the program's own requests.
        self.http: Any = new_http(follow_redirects=True)
        #: Sends those of the client, if that does not make one.
        self.given: Any = None

    async def open(self, request: Json, store: Any) -> None:
        """Open the client."""
        logger = logging.Logger(request["client"])  # noqa: LOG001 - it goes with the client
        logger.addHandler(Events(request["client"], throws=request.get("log") == "throws"))
        names = {"timeout": "timeout", "max_body": "max_body", "wasm": "plugin", "headers": "headers"}
        options = {names[name]: request[name] for name in names if name in request}
        if "user_agent" in request:
            self.given = new_http(headers={"User-Agent": request["user_agent"]})
        if request.get("clock"):
            options["clock"] = lambda: self.now
        options |= {"store": store, "logger": logger, "http": self.given}
        if USE_ASYNC:
            self.client = await AsyncClient(read_config(request), **options).open()
        else:
            self.client = await run(Client, read_config(request), **options)

    async def close(self, request: Json) -> None:
        """Close the client with everything else, or a view of it."""
        view = self.view(request)
        await run(view.close, **only(request, "timeout"))
        for http in filter(None, (self.http, self.given) if view is self.client else ()):
            await run(http.aclose if USE_ASYNC else http.close)

    def view(self, request: Json) -> Any:
        """Return the client, or the view that a request wants."""
        view = self.client
        if "customer_id" in request:
            view = view.for_customer(request["customer_id"])
        if "user_id" in request:
            view = view.for_user(request["user_id"])
        return view


def read_config(request: Json) -> Config:
    """Read the config from variables, or from fields, whose values are texts."""
    if "variables" in request:
        return Config.from_env(request["variables"])
    given = {name: typed(name, text) for name, text in request.get("config", {}).items()}
    # Python itself wants some fields; an empty value counts as missing.
    needed = {f.name: "" for f in fields(Config) if f.default is MISSING}
    return Config(**{**needed, **given})


def typed(name: str, text: str) -> Any:
    """Convert a text for a field of the config, unless it has another form."""
    if KINDS.get(name) is bool and text in ("true", "false"):
        return text == "true"
    if KINDS.get(name) == int | None and text.lstrip("-").isdecimal():
        return int(text)
    return text


class Adapter:
    """The clients and stores by name, and the requests in progress by id."""

    def __init__(self) -> None:
        self.clients: dict[str, asyncio.Task[Opened]] = {}
        self.stores: Json = {}
        self.tasks: dict[Any, asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Respond to each line of standard input."""
        lines = asyncio.StreamReader(limit=LONGEST_LINE)
        protocol = asyncio.StreamReaderProtocol(lines)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
        while line := await lines.readline():
            request = json.loads(line)
            self.tasks[request["id"]] = asyncio.create_task(self.respond(request))

    async def respond(self, request: Json) -> None:
        """Respond to a request."""
        try:
            response = await getattr(self, request["op"])(request)
        except asyncio.CancelledError:
            response = {"canceled": True}
        except Exception as error:  # noqa: BLE001 - the runner sees it
            response = failure(error)
        del self.tasks[request["id"]]
        write({"id": request["id"], **response})

    async def versions(self, _: Json) -> Json:
        """Return the versions of what runs."""
        libraries = [f"{name} {version(name)}" for name in ("wasmtime", "httpx")]
        return {"versions": ", ".join([f"Python {platform.python_version()}", *libraries])}

    async def open(self, request: Json) -> Json:
        """Open a client. Its other requests wait for that."""

        async def opening() -> Opened:
            opened = Opened(request)
            await opened.open(request, self.find_store(request))
            return opened

        self.clients[request["client"]] = asyncio.create_task(opening())
        await self.clients[request["client"]]
        return {}

    async def find(self, request: Json) -> Opened:
        """Return a request's client, whose clock shows the request's time from now on."""
        opened = await asyncio.shield(self.clients[request["client"]])
        opened.now = request.get("now", opened.now)
        return opened

    async def list_jobs(self, request: Json) -> Json:
        """Call list_jobs."""
        view = (await self.find(request)).view(request)
        sent = only(request.get("request", {}), "headers")
        return received(await self.call(request, partial(view.list_jobs, **sent)))

    @cached_property
    def http(self) -> Any:
        """What sends requests without the library."""
        return new_http()

    async def repeat(self, request: Json) -> Json:
        """Call list_jobs again and again, or send a request with httpx alone."""
        if "request" in request:
            call = partial(self.http.request, url=request["request"]["url"], **content(request["request"]))
        else:
            call = (await self.find(request)).client.list_jobs
        if USE_ASYNC:
            for _ in range(request["times"]):
                (await call()).raise_for_status()
        else:
            await run(lambda: [call().raise_for_status() for _ in range(request["times"])])
        return {}

    async def send_request(self, request: Json) -> Json:
        """Call send_request, whose arguments have the ids."""
        client = (await self.find(request)).client
        sent = content(request["request"]) | only(request, "customer_id", "user_id")
        send = partial(client.send_request, request["request"].get("path", ""), **sent)
        return received(await self.call(request, send))

    async def get_token(self, request: Json) -> Json:
        """Call get_token."""
        view = (await self.find(request)).view(request)
        get = partial(view.get_token, **only(request, "force", "refused"))
        return {"token": json.loads((await self.call(request, get)).to_json())}

    async def call(self, request: Json, method: Callable[..., Any]) -> Any:
        """Make a call, with retries if the request wants them."""
        call = partial(method, **only(request, "timeout"))
        if "retry" in request:
            options = only(request["retry"], "deadline")
            if "codes" in request["retry"]:
                options["retry_if"] = lambda error: error.code in request["retry"]["codes"]
            call = partial(async_retry if USE_ASYNC else retry, call, **options)
        return await run(call)

    async def set_token(self, request: Json) -> Json:
        """Call set_token."""
        client = (await self.find(request)).client
        await run(client.set_token, Token.from_json(json.dumps(request["token"])))
        return {}

    async def clear_token(self, request: Json) -> Json:
        """Call clear_token."""
        await run((await self.find(request)).client.clear_token)
        return {}

    async def set_secret(self, request: Json) -> Json:
        """Call set_secret."""
        await run((await self.find(request)).client.set_secret, request["secret"])
        return {}

    async def status(self, request: Json) -> Json:
        """Call status."""
        return {"status": (await self.find(request)).view(request).status().to_dict()}

    async def own(self, request: Json) -> Json:
        """Send a request of the program's own."""
        opened = await self.find(request)
        sent = {"method": "GET"} | content(request["request"]) | only(request, "timeout")
        auth = RosteringAuth(opened.client)
        return received(await run(opened.http.request, url=request["request"]["url"], auth=auth, **sent))

    async def store(self, request: Json) -> Json:
        """Use a store."""
        arguments = {"key": request.get("key", "")}
        if request["do"] != "get":
            arguments |= {"value": request.get("value", ""), "ttl": ceil(request["ttl"])}
        result = await run(getattr(self.find_store(request), request["do"]), **arguments)
        return {"get": {"value": result}, "add": {"added": result}, "set": {}}[request["do"]]

    def find_store(self, request: Json) -> Any:
        """Return the store that a request names, or None."""
        if not request.get("store"):
            return None
        name = request["store"]["name"]
        if name not in self.stores:
            self.stores[name] = stores.make(request["store"], for_asyncio=USE_ASYNC)
        return self.stores[name]

    async def cancel(self, request: Json) -> Json:
        """Cancel a request."""
        if not USE_ASYNC:
            raise NotImplementedError("no cancel: Python cannot cancel a thread")
        if task := self.tasks.get(request["target"]):
            task.cancel()
        return {}

    async def close(self, request: Json) -> Json:
        """Close a client, or a view of it."""
        await (await self.find(request)).close(request)
        return {}


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


def received(response: httpx.Response) -> Json:
    """Return what a response has."""
    return {
        "status": response.status_code,
        "headers": dict(response.headers),
        "body": b64encode(response.content).decode(),
    }


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
