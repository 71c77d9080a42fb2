"""An access token."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self


@dataclass(frozen=True, slots=True)
class Token:
    """An access token for requests of your own."""

    #: Goes into the header "Authorization: Bearer …".
    access_token: str = field(repr=False)
    token_type: str
    expires_at: datetime
    #: Names the token URL, the client and the scope that the token belongs to. No secret.
    cache_key: str

    def to_json(self) -> str:
        """Give the whole token, to store it where other processes find it: keep it as a secret."""
        return json.dumps(
            {
                "access_token": self.access_token,
                "token_type": self.token_type,
                "expires_at": int(self.expires_at.timestamp()),
                "cache_key": self.cache_key,
            }
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` gave. A ValueError, without the text, if it is not that."""
        token = cls._read(text)
        if token is None:  # raised out here, it has no cause, which would hold the text
            raise ValueError("this is no token object")
        return token

    @classmethod
    def _read(cls, text: str | bytes) -> Self | None:
        try:
            fields = json.loads(text)
            fields["expires_at"] = datetime.fromtimestamp(fields["expires_at"], UTC)
            return cls(**fields)
        except (ValueError, TypeError, KeyError, OverflowError):
            return None
