"""What a client is configured with."""

from dataclasses import dataclass, field, fields
from typing import Literal

Environment = Literal["stage", "production"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Whose jobs to list, and where.

    A mistake here is a `RosteringError` when a client is opened; `key` names the value. A missing
    base_url, customer_id or user_id is one of the first call that needs it.
    """

    #: The identity provider and the service: https, or http on loopback.
    auth_url: str
    base_url: str | None = None

    client_id: str
    client_secret: str = field(repr=False)

    #: Selects the scope. Optional if `scope` is set, which overrides it.
    environment: Environment | None = None
    scope: str | None = None

    #: Sent with each request, unless the call says otherwise.
    customer_id: str | None = None
    user_id: str | None = None

    #: Seconds before its expiry at which a token is renewed, 60 by default. At most half of the
    #: token's lifetime is used.
    refresh_margin: int | None = None
    #: Permits http beyond loopback, where the network can read the secret.
    allow_http: bool = False

    def keys(self) -> dict[str, str]:
        """Return the plugin's config."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["allow_http"] = "true" if self.allow_http else "false"
        return {name: str(value) for name, value in values.items() if value is not None}
