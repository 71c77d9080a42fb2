"""An access token."""

import json
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Token:
    """An access token, for your own requests."""

    #: Goes into the header "Authorization: Bearer …".
    access_token: str = field(repr=False)
    token_type: str
    expires_at: datetime
    #: Names whose token it is. Not a secret.
    cache_key: str

    def to_json(self) -> str:
        """Return the token object, for `from_json`. It is a secret."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return json.dumps(values | {"expires_at": int(self.expires_at.timestamp())})

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Read a token object."""
        return cls(**{**fields, "expires_at": datetime.fromtimestamp(fields["expires_at"], UTC)})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read what `to_json` returned. Raises a ValueError, which does not show the text."""
        with suppress(ValueError, TypeError, KeyError, OverflowError):  # whose context holds the text
            return cls.from_fields(json.loads(text))
        raise ValueError("not a token object; pass what Token.to_json returned")
