"""An access token."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Token:
    """An access token for requests of your own."""

    #: Goes into the header "Authorization: Bearer …".
    access_token: str = field(repr=False)
    token_type: str
    expires_at: datetime
    #: Names the token URL, the client and the scope that the token belongs to. No secret.
    cache_key: str


def decode_token(output: bytes) -> Token:
    """Read what get_token gives."""
    token = json.loads(output)
    token["expires_at"] = datetime.fromtimestamp(token["expires_at"], UTC)
    return Token(**token)
