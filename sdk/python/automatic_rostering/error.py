"""Why a call failed."""

import json
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Literal

import httpx

from .step import Reason

Code = Literal[
    "invalid_input",
    "config_missing",
    "config_invalid",
    "clock_unusable",
    "token_endpoint_rejected",
    "token_endpoint_unavailable",
    "token_response_invalid",
    "token_mismatch",
    "service_unauthorized",
    "service_error",
    "network_error",
    "plugin_failed",  # a bug, of which this library tells
]


_CA = "if a private CA issued it, set SSL_CERT_FILE, or verify in your httpx client"


@dataclass(frozen=True, slots=True)
class Problem:
    """What is missing or invalid in the config."""

    #: The field of `Config`.
    key: str
    message: str


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """The request to the service that failed. Its path has no query."""

    method: str
    path: str


@dataclass(eq=False)
class RosteringError(Exception):
    """Why a call failed. Unknown fields are None. Holds no secret and no token.

    What shows it, as repr, str and `to_dict` do, has neither the body nor the headers of a response, which may have
    personal data.
    """

    #: For programs to act on.
    code: Code
    #: Explains how to fix it, for people to read.
    message: str
    #: Whether the same call may succeed later.
    retryable: bool = False
    #: The config key or input field that caused it.
    key: str | None = None
    #: All that is missing or invalid in the config.
    problems: tuple[Problem, ...] | None = None
    #: The request to the service that failed.
    request: FailedRequest | None = None
    #: Why there was no response.
    reason: Reason | None = None
    #: The HTTP status of the response that caused it.
    status: int | None = None
    #: What the identity provider said (RFC 6749, section 5.2).
    oauth_error: str | None = None
    oauth_error_description: str | None = None
    #: Seconds to wait before the next attempt.
    retry_after: int | None = None
    #: The service's response: at most 4 KiB of its body, whether there was more, and its headers.
    body: str | None = field(default=None, repr=False)
    body_truncated: bool | None = field(default=None, repr=False)
    headers: httpx.Headers | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Set `args`, from which pickle and copy rebuild an exception."""
        super().__init__(self.code, self.message)

    def __str__(self) -> str:
        """Return one line, with the status and what the identity provider said."""
        oauth = filter(None, [self.oauth_error, self.oauth_error_description])
        known = [f"status {self.status}" if self.status else "", ": ".join(oauth)]
        details = ", ".join(filter(None, known))
        text = f"{self.code}: {self.message}" + (f" ({details})" if details else "")
        return " ".join(text.split())  # foreign text must not start a line of a log

    def to_dict(self) -> dict[str, object]:
        """Return the contract's fields that are set, for json.dumps or a structured log: no body and no headers."""
        shown = {f.name: getattr(self, f.name) for f in fields(self) if f.repr}
        if self.problems is not None:
            shown["problems"] = [{"key": problem.key, "message": problem.message} for problem in self.problems]
        if self.request:
            shown["request"] = {"method": self.request.method, "path": self.request.path}
        return {name: value for name, value in shown.items() if value is not None}

    def full(self) -> dict[str, object]:
        """Return what `to_dict` does, with the body and the headers, which may have personal data."""
        rest: dict[str, object] = {"body": self.body, "body_truncated": self.body_truncated}
        rest["headers"] = None if self.headers is None else dict(self.headers)
        return self.to_dict() | {name: value for name, value in rest.items() if value is not None}


def decode_error(data: bytes) -> RosteringError:
    """Decode the plugin's error, and name the variables of its config keys."""
    with suppress(ValueError, AttributeError, TypeError):
        error = json.loads(data)
        names = error.keys() & {f.name for f in fields(RosteringError)}
        if "headers" in error:
            items = [(name, value) for name in error["headers"] for value in error["headers"][name]]
            error["headers"] = httpx.Headers(items, "utf-8")
        if "problems" in error:
            error["problems"] = tuple(Problem(**problem) for problem in error["problems"])
        if "request" in error:
            error["request"] = FailedRequest(**error["request"])
        decoded = RosteringError(**{name: error[name] for name in names})
        if decoded.problems:
            variables = [f"ROSTERING_{problem.key.upper()}" for problem in decoded.problems]
            decoded.message += f" ({', '.join(dict.fromkeys(variables))})"
        if decoded.reason == "tls_certificate":
            decoded.message += f"; {_CA}"
        return decoded
    raise plugin_failed("its error is not a JSON object with a code and a message")


def plugin_failed(why: object) -> RosteringError:
    """Return the error for what only a bug in the plugin causes."""
    return RosteringError("plugin_failed", f"the plugin failed, which is a bug; report it: {line_of(why)}")


def line_of(failure: object) -> str:
    """Return what matters of wasmtime's text, which may have a long backtrace."""
    lines = str(failure).splitlines() or [type(failure).__name__]
    return next((line for line in lines if "wasm trap: " in line), lines[0]).strip()


def cut(error: BaseException | None) -> None:
    """Cut this package's frames, whose variables have secrets, off the traceback of an error."""
    if not error:
        return
    if error.__suppress_context__:
        error.__context__ = None
    frame = error.__traceback__
    while frame:
        if frame.tb_frame.f_globals.get("__package__") == __package__:
            error.__traceback__ = frame.tb_next
        frame = frame.tb_next
