import contextlib
import io
import json
import os
import runpy
from pathlib import Path
from unittest import mock

import main

from .case import ServiceCase
from .redis_server import redis_server

FOLDER = Path(main.__file__).parent
TOP = FOLDER.parents[1]


class Programs(ServiceCase):
    def run_program(self, name: str, input_text: str = "", **changes: str) -> tuple[str, str]:
        variables = {**self.sandbox.env, "ROSTERING_WASM": "", **changes}
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, variables),
            mock.patch("sys.stdin", io.StringIO(input_text)),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            contextlib.chdir(TOP),
            contextlib.suppress(SystemExit),
        ):
            runpy.run_path(str(FOLDER / name), run_name="__main__")
        self.assertNotIn(self.config.client_secret, out.getvalue() + err.getvalue())
        return out.getvalue(), err.getvalue()

    def test_main(self) -> None:
        out, err = self.run_program("main.py")
        self.assertEqual(err, "")
        for text in (r"token: \S{8}… \(\d+ ch", '"customer_id":', "code: token_endpoint_rejected"):
            self.assertRegex(out, text)
        self.want_requests(2, 2)

    def test_main_names_what_is_missing(self) -> None:
        _, err = self.run_program("main.py", ROSTERING_CLIENT_SECRET="", ROSTERING_USER_ID="")
        self.assertEqual(err, "failed: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n")
        _, err = self.run_program("main.py", ROSTERING_WASM="none.wasm")
        self.assertIn("none.wasm", err)

    def test_main_explains_an_error(self) -> None:
        self.sandbox.fault("auth", status=429, body='{"error":"slow_down"}')
        _, err = self.run_program("main.py")
        for text in ("failed: token_endpoint_unavailable: ", "status: 429", "slow_down"):
            self.assertIn(text, err)

    def test_minimal_and_jobs(self) -> None:
        for name in ("minimal.py", "jobs.py"):
            self.assertIn("sandbox-job-1", self.run_program(name)[0])
            out, _ = self.run_program(name, ROSTERING_CLIENT_SECRET="a wrong secret")
            self.assertIn("token_endpoint_rejected", out)

    def test_fleet(self) -> None:
        with redis_server() as url:
            first, _ = self.run_program("fleet.py", "0\n2\n", ROSTERING_REDIS=url)
            second, _ = self.run_program("fleet.py", "3\n", ROSTERING_REDIS=url)
        nothing, two = map(json.loads, first.splitlines())
        self.assertEqual(nothing, {"calls": 0})
        self.assertEqual(json.loads(second), {**two, "calls": 3})
        self.want_requests(1, 5)
