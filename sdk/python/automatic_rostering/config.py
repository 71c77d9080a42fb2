"""The configuration of a client."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

from .check import check
from .error import RosteringError

Environment = Literal["stage", "production"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The configuration of a client: URLs, credentials, and the default ids.

    A value of the wrong type is a TypeError. The rest is checked when a client opens: a mistake is
    a `RosteringError` whose `key` names the field. A missing base_url, customer_id or user_id is an
    error of the first call that needs it.
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

    #: Renew the token this many seconds before its expiry, but never before half of its lifetime.
    #: The default is 60.
    refresh_margin: int | None = None
    #: Permits http beyond loopback, where the network can read the secret.
    allow_http: bool = False

    def __post_init__(self) -> None:
        """Check the types: a "false" must not permit http."""
        for f in fields(self):
            optional = () if f.default is not None else (None,)
            kind = {"refresh_margin": int, "allow_http": bool}.get(f.name, str)
            check(f.name, getattr(self, f.name), kind, *optional)

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Self:
        """Read `ROSTERING_AUTH_URL`, … `ROSTERING_ALLOW_HTTP`: one variable for each field.

        An empty variable counts as missing. Raises a `RosteringError` (config_invalid) that names
        the variables if `ROSTERING_REFRESH_MARGIN` or `ROSTERING_ALLOW_HTTP` is invalid.
        """
        values: dict[str, Any] = {"auth_url": "", "client_id": "", "client_secret": ""}
        invalid = {}
        for f in fields(cls):
            value = env.get(_variable(f.name), "")
            convert, expected = _CONVERTED.get(f.name, (str, ""))
            try:
                values |= {f.name: convert(value)} if value else {}
            except (LookupError, ValueError):
                invalid[f.name] = f"{_variable(f.name)} must be {expected}"
        if invalid:
            del env, values  # a tool may show the variables of a traceback
            raise RosteringError(
                "config_invalid", "; ".join(invalid.values()), key=next(iter(invalid))
            )
        return cls(**values)


def _variable(name: str) -> str:
    return f"ROSTERING_{name.upper()}"


_CONVERTED: dict[str, tuple[Callable[[str], Any], str]] = {
    "allow_http": ({"true": True, "false": False}.__getitem__, "true or false"),
    "refresh_margin": (int, "a non-negative integer (seconds)"),
}


def plugin_config(config: Config) -> dict[str, str]:
    """Return a config as the plugin takes it."""
    values = {f.name: getattr(config, f.name) for f in fields(config)}
    values["allow_http"] = "true" if config.allow_http else "false"
    return {name: str(value) for name, value in values.items() if value is not None}
