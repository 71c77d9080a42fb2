"""The connections of a client's own HTTP client."""

import socket
from contextlib import suppress
from typing import Any
from weakref import WeakSet


class Connections:
    """Knows the sockets, because closing an httpx.Client does not wake threads that read."""

    def __init__(self) -> None:
        self._streams: WeakSet[Any] = WeakSet()

    def trace(self, event: str, info: dict[str, Any]) -> None:
        """Note a connection, as httpcore's trace extension."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._streams.add(info["return_value"])

    def shut_down(self) -> None:
        """End all that is sent and read."""
        for stream in list(self._streams):
            with suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
