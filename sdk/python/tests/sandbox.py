"""The sandbox: an identity provider and a jobs service on loopback."""

import json
import subprocess
from pathlib import Path
from typing import Any, Self

import httpx

from automatic_rostering import Config
from automatic_rostering.thread import in_thread

from . import PATIENCE

PROGRAM = Path(__file__).parents[3] / "build" / "sandbox"


class Sandbox:
    """A process of build/sandbox. sandbox/doc.go in the top folder documents its controls."""

    def __init__(self) -> None:
        if not PROGRAM.exists():
            raise FileNotFoundError(f"{PROGRAM} is missing: run make build/sandbox first")
        self._process = subprocess.Popen(  # noqa: S603
            [PROGRAM, "-json", "-until-stdin-closes"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        facts = json.loads(in_thread(self._stdout.readline).result(PATIENCE))
        self.env: dict[str, str] = facts["env"]
        self.config = Config.from_env(self.env)
        url = facts["control_url"]
        # There is no TLS, whose certificates would take time to load.
        self._http = httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, verify=False)  # noqa: S501

    def fault(self, server: str, **fields: object) -> None:
        self._control("POST", "/faults", {"server": server, **fields})

    def clear_faults(self) -> None:
        self._control("DELETE", "/faults")

    def revoke(self) -> None:
        self._control("POST", "/revoke")

    def set_lifetime(self, seconds: int) -> None:
        self._control("POST", "/lifetime", {"seconds": seconds})

    def counts(self) -> dict[str, int]:
        counts: dict[str, int] = self._control("GET", "/counts").json()
        return counts

    def wait(self, **counts: int) -> None:
        """Wait until at least this many requests have arrived."""
        self._control("POST", "/wait", counts)

    def requests(self) -> list[dict[str, Any]]:
        requests: list[dict[str, Any]] = self._control("GET", "/requests").json()
        return requests

    def job_requests(self) -> list[dict[str, Any]]:
        return [request for request in self.requests() if request["server"] == "jobs"]

    def _control(self, method: str, path: str, body: object = None) -> httpx.Response:
        return self._http.request(method, path, json=body).raise_for_status()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()
        self._stdin.close()
        try:
            self._process.wait(PATIENCE)
        finally:
            self._process.kill()
            self._stdout.close()
