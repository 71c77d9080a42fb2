"""What `send_request` takes, as httpx has it, and the input and body of a call."""

import json
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from io import IOBase
from typing import Any, TypeAlias, cast

import httpx

from .check import check

Content = str | bytes | Iterable[bytes]
AsyncContent = str | bytes | AsyncIterable[bytes]
#: A request body. What can be read only once, such as a generator or an open file, cannot be sent again after a 401. A
#: function that opens it can: lambda: open(path, "rb").
Body = Content | Callable[[], Content]
AsyncBody = AsyncContent | Callable[[], AsyncContent]
AnyContent = Content | AsyncContent | None
AnyBody = Body | AsyncBody | None

Headers: TypeAlias = Mapping[str, str] | None
_Primitive = str | int | float | bool | None
#: As httpx takes them.
QueryParams = (
    httpx.QueryParams | Mapping[str, _Primitive | Sequence[_Primitive]] | Sequence[tuple[str, _Primitive]] | str | bytes
)


def request_input(
    path: str,
    method: str | None,
    params: QueryParams | None,
    headers: dict[str, str],
    content: AnyBody,
    json_value: object,
    iterable: type[Iterable[Any] | AsyncIterable[Any]],
) -> tuple[dict[str, object], AnyBody]:
    """Return the input, without ids, and the body, which may be of the type `iterable`."""
    check("path", path, str)
    check("method", method, str, None)
    check("params", params, (Mapping, list, tuple, str, bytes), None)
    if json_value is not None:
        if content is not None:
            raise TypeError("set content or json, not both")
        compact = (",", ":")
        content = json.dumps(json_value, ensure_ascii=False, allow_nan=False, separators=compact)
        headers = merged({"Content-Type": "application/json"}, headers)
    if params:
        path += ("&" if "?" in path else "?") + str(httpx.QueryParams(cast(Any, params)))
    body = _encoded(content, iterable)
    fields: dict[str, object] = {"path": path, "method": method}
    fields |= {"headers": headers or None, "body": bool(body) or None}
    return {name: value for name, value in fields.items() if value is not None}, body


def merged(headers: Mapping[str, str], others: Headers) -> dict[str, str]:
    """Return headers, of which the others replace those of the same name in any case."""
    check("headers", others, Mapping, None)
    others = dict(others or {})
    for name, value in others.items():
        check("the name of a header", name, str)
        check(f"headers[{name!r}]", value, str)
    replaced = {name.lower() for name in others}
    return {name: headers[name] for name in headers if name.lower() not in replaced} | others


def _encoded(content: AnyBody, iterable: type[Iterable[Any] | AsyncIterable[Any]]) -> AnyBody:
    if isinstance(content, str):
        return content.encode()
    strange = isinstance(content, Mapping | bytearray | memoryview)  # they yield no bytes
    if content is None or callable(content) or (isinstance(content, bytes | iterable) and not strange):
        return content
    kinds = f"str, bytes, {iterable.__name__} or a function that returns one of these"
    raise TypeError(f"content must be {kinds}, not {type(content).__name__}")


@contextmanager
def opened(body: AnyBody) -> Iterator[AnyContent]:
    """Yield the content of a body, and close it if it was opened here."""
    if not callable(body):
        yield body
        return
    content = body()
    with content if isinstance(content, IOBase) else nullcontext():
        yield content


def is_repeatable(body: AnyBody) -> bool:
    """Return whether a body can be sent again."""
    return not isinstance(body, Iterator | AsyncIterator)
