"""What a client is told once, when it is opened."""

import glob
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Whose jobs to list, and where.

    The plugin judges it when it is first used; a `RosteringError` then names the key at fault.
    """

    #: Where the identity provider and the service live: https, or http on loopback. Their hosts
    #: are the only ones that the plugin may call.
    auth_url: str
    base_url: str | None = None

    client_id: str
    client_secret: str = field(repr=False)

    #: "stage" or "production". May be left out if `scope` is set, which replaces its scope.
    environment: str | None = None
    scope: str | None = None

    #: Sent with each request, unless `Client.list_jobs` is told otherwise.
    customer_id: str | None = None
    user_id: str | None = None

    #: How many seconds before its expiry a token is renewed; the plugin's default is 60. At most
    #: half of the lifetime is used.
    refresh_margin: int | None = None
    #: Permits http beyond loopback, where anyone on the way can read the secret.
    allow_http: bool = False

    def keys(self) -> dict[str, str]:
        """Give the config as the plugin reads it, where an empty value counts as a missing one."""
        margin = "" if self.refresh_margin is None else str(self.refresh_margin)
        return {
            "environment": self.environment or "",
            "auth_url": self.auth_url,
            "base_url": self.base_url or "",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "customer_id": self.customer_id or "",
            "user_id": self.user_id or "",
            "scope": self.scope or "",
            "refresh_margin": margin,
            "allow_http": "true" if self.allow_http else "false",
        }

    def hosts(self) -> list[str]:
        """Give the hosts that the plugin may call, as the patterns that libextism takes."""
        hosts = (_host(url) for url in (self.auth_url, self.base_url) if url)
        return sorted({glob.escape(host) for host in hosts if host})


def _host(url: str) -> str | None:
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return None  # the plugin says what is wrong with it
    # libextism compares the host as it is in a URL, where an IPv6 address has its brackets.
    return f"[{host}]" if host and ":" in host else host
