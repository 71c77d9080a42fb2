"""The configuration of a client."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

from .check import check

Environment = Literal["stage", "production"]
_SURROGATE = re.compile("[\ud800-\udfff]")


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
        """Read `ROSTERING_AUTH_URL`, … `ROSTERING_ALLOW_HTTP`: one variable for each field. An empty one is missing."""
        values: dict[str, Any] = {"auth_url": "", "client_id": "", "client_secret": ""}
        for f in fields(cls):
            if value := env.get(f"ROSTERING_{f.name.upper()}"):
                values[f.name] = _read(f.name, value)
        return cls(**values)


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
