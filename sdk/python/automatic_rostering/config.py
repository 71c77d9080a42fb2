"""The configuration of a client."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self

from .check import check
from .error import Problem, RosteringError

Environment = Literal["stage", "production"]
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_SECRET = 64 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The configuration of a client: URLs, credentials, and the default ids.

    A value of the wrong type is a TypeError. The rest is checked when a client opens: a mistake is a `RosteringError`
    whose `key` names the field. A missing base_url, customer_id or user_id is an error of the first call that needs it.
    """

    #: The identity provider and the service: https, or http on loopback.
    auth_url: str
    base_url: str | None = None

    client_id: str
    client_secret: str = field(repr=False)

    #: Selects the scope. Optional if `scope` is set, which overrides it.
    environment: Environment | None = None
    scope: str | None = None

    #: Sent with each request, unless the view or the call has another.
    customer_id: str | None = None
    user_id: str | None = None

    #: Renew the token this many seconds before its expiry, but never before half of its lifetime. The default is 60.
    refresh_margin: int | None = None
    #: Permits http beyond loopback, where the network can read the secret.
    allow_http: bool = False

    def __post_init__(self) -> None:
        """Check the types: a "false" must not permit http."""
        for f in fields(self):
            value = getattr(self, f.name)
            if isinstance(value, str) and _read(f.name, value) == value:
                continue  # also an invalid variable, which the plugin names
            optional = () if f.default is not None else (None,)
            kind = {"refresh_margin": int, "allow_http": bool}.get(f.name, str)
            check(f.name, value, kind, *optional)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Self:
        """Read `ROSTERING_AUTH_URL`, … `ROSTERING_ALLOW_HTTP`: one variable for each field. An empty one is missing.

        In place of the secret, `ROSTERING_CLIENT_SECRET_FILE` may name a file that has it. A RosteringError says what
        is wrong with that file.
        """
        secret, wrong = _secret(env)
        if wrong:
            del env  # a tool may show the variables of a traceback
            problem = Problem("client_secret", f"ROSTERING_CLIENT_SECRET_FILE {wrong}")
            raise RosteringError("config_invalid", problem.message, key=problem.key, problems=(problem,))
        values: dict[str, Any] = {"auth_url": "", "client_id": "", "client_secret": secret}
        for f in fields(cls):
            if value := env.get(f"ROSTERING_{f.name.upper()}"):
                values[f.name] = _read(f.name, value)
        return cls(**values)


def _secret(env: Mapping[str, str]) -> tuple[str, str]:
    """Return the client secret from the file that a variable names, if it is set, or what is wrong."""
    file = env.get("ROSTERING_CLIENT_SECRET_FILE")
    if not file:
        return "", ""
    if env.get("ROSTERING_CLIENT_SECRET"):
        return "", "and ROSTERING_CLIENT_SECRET are both set: unset one of them"
    secret, wrong = _read_secret(file)
    return secret, wrong and f"names a file that {wrong}: it must have the client secret alone"


def _read_secret(file: str) -> tuple[str, str]:
    """Return the secret of a file, without one newline at its end, or what is wrong with the file."""
    try:
        with Path(file).open("rb") as opened:
            data = opened.read(_LONGEST_SECRET + 1)
    except (OSError, ValueError):  # a ValueError for a null character
        return "", "is missing or cannot be read"
    if len(data) > _LONGEST_SECRET:
        return "", "has more than 64 KiB"
    if data.endswith(b"\n"):
        data = data[:-1].removesuffix(b"\r")
    try:
        return data.decode(), "" if data else "is empty"
    except UnicodeDecodeError:
        return "", "is not UTF-8"


def _read(name: str, value: str) -> object:
    """Read a variable. An invalid one stays a string, so that the plugin names all that is."""
    if name == "refresh_margin" and value.isascii() and value.isdecimal():
        return int(value[:20])  # int rejects thousands of digits; 20 exceed any lifetime
    if name == "allow_http":
        return {"true": True, "false": False}.get(value, value)
    return value


def plugin_config(config: Config) -> bytes:
    """Return a config as the plugin takes it."""
    flag = {True: "true", False: "false"}.get(config.allow_http, config.allow_http)
    return plugin_values(asdict(config) | {"allow_http": flag})


def plugin_values(values: Mapping[str, object]) -> bytes:
    """Return keys of a config as the plugin takes them."""
    texts = {key: str(value) for key, value in values.items() if value is not None}
    # A lone surrogate stands for what os.environ could not decode. JSON has none; the plugin rejects both characters.
    return json.dumps({key: _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text) for key, text in texts.items()}).encode()
