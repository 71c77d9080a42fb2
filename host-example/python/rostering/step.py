"""What goes between the plugin and a host that sends the requests itself."""

import json
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class Request:
    """A request that the plugin wants sent. Only its address may be shown."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: str | None = field(default=None, repr=False)

    @property
    def asks_for_token(self) -> bool:
        """Whether its answer is the plugin's to read."""
        return self.method == "POST" and self.url.endswith("/connect/token")


@dataclass(frozen=True, slots=True)
class Step:
    """What `begin` and `resume` give: a request to send, or the end of the call."""

    request: Request | None = None
    #: Goes back to the plugin with the answer. Holds no secret.
    flow: object = None
    #: The token object of a `get_token` that is done.
    output: object = field(default=None, repr=False)

    @classmethod
    def decode(cls, output: bytes) -> Self:
        """Read the plugin's output."""
        fields = json.loads(output)
        if fields["step"] == "request":
            return cls(Request(**fields["request"]), fields["flow"])
        return cls(output=fields.get("output"))


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a request: an answer, or why there was none."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    failed: str | None = None

    def fields(self, request: Request) -> dict[str, object]:
        """Give what `resume` is told. The body of the service's answers is not its business."""
        if self.failed is not None:
            return {"failed": self.failed}
        fields: dict[str, object] = {"status": self.status, "headers": self.headers}
        if request.asks_for_token:
            fields["body"] = self.body.decode(errors="replace")
        return fields
