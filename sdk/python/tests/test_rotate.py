import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from unittest import TestCase
from unittest.mock import patch
from urllib.parse import parse_qs

import httpx

from automatic_rostering import Client, Config

from .rotate import follow_secret
from .service import CONFIG, Service


class Minutes(Event):
    """Waits, in each of which something happens, and the program's end after the last."""

    def __init__(self, *happens: Callable[[], object]) -> None:
        super().__init__()
        self._happens = list(happens)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait no longer than for what happens."""
        del timeout
        self._happens.pop(0)()
        return not self._happens


class Rotating(TestCase):
    def test_a_mounted_file(self) -> None:
        """It is missing for a while, and then has another secret."""
        service, secrets = Service(), list[str]()

        def respond(request: httpx.Request) -> httpx.Response:
            secrets.extend(parse_qs(request.content.decode())["client_secret"])
            return service.new_token()

        file = Path(self.enterContext(TemporaryDirectory()), "client_secret")
        variables = {"AUTH_URL": CONFIG.auth_url, "CLIENT_ID": "id", "SCOPE": "s", "CLIENT_SECRET_FILE": str(file)}
        self.enterContext(patch.dict(os.environ, {f"ROSTERING_{name}": value for name, value in variables.items()}))
        file.write_text("the first\n")
        http = httpx.Client(transport=httpx.MockTransport(respond))
        with self.assertLogs(level="WARNING") as log, Client(Config.from_env(), http=http) as client:

            def request() -> None:
                client.get_token(force=True)

            follow_secret(client, Minutes(file.unlink, request, lambda: file.write_text("the second\r\n"), request))
        self.assertEqual(secrets, ["the first", "the second"])
        self.assertIn("names a file that is missing", log.output[0])
