import io
import os
import runpy
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import main

from .case import WASM, ServiceCase
from .service import SECRET, Answer


class Main(ServiceCase):
    def environment(self, **changes: str) -> dict[str, str]:
        return {
            "ROSTERING_AUTH_URL": self.service.url,
            "ROSTERING_BASE_URL": self.service.url,
            "ROSTERING_ENVIRONMENT": "stage",
            "ROSTERING_CLIENT_ID": "client",
            "ROSTERING_CLIENT_SECRET": SECRET,
            "ROSTERING_CUSTOMER_ID": "customer",
            "ROSTERING_USER_ID": "user",
            "ROSTERING_WASM": "",
        } | changes

    def run_main(self, **changes: str) -> tuple[int, str, str]:
        env = self.environment(**changes)
        out, err = io.StringIO(), io.StringIO()
        with mock.patch.dict(os.environ, env), redirect_stdout(out), redirect_stderr(err):
            status = main.main()
        self.assertNotIn(SECRET, out.getvalue() + err.getvalue())
        return status, out.getvalue(), err.getvalue()

    def run_minimal(self, **changes: str) -> str:
        out, minimal = io.StringIO(), Path(main.__file__).with_name("minimal.py")
        env = mock.patch.dict(os.environ, self.environment(**changes))
        with env, redirect_stdout(out), chdir(WASM.parents[1]):
            runpy.run_path(str(minimal))
        return out.getvalue()

    def test_shows_token_jobs_and_error(self) -> None:
        status, out, err = self.run_main()
        self.assertEqual((status, err), (0, ""))
        for text in ("token-1", "(7 characters)", '[{"id":1}]', "code: token_endpoint_rejected"):
            self.assertIn(text, out)
        self.want_requests(2, 2)

    def test_names_what_is_missing(self) -> None:
        status, _, err = self.run_main(ROSTERING_CLIENT_SECRET="", ROSTERING_USER_ID="")
        self.assertEqual(status, 1)
        self.assertEqual(err, "failed: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n")

    def test_no_plugin(self) -> None:
        status, _, err = self.run_main(ROSTERING_WASM="none.wasm")
        self.assertEqual(status, 1)
        self.assertIn("none.wasm", err)

    def test_explains_an_error(self) -> None:
        self.service.token_answer = lambda: Answer(429, b'{"error":"slow_down"}')
        status, _, err = self.run_main()
        self.assertEqual(status, 1)
        for text in ("failed: token_endpoint_unavailable: ", "status: 429", "slow_down"):
            self.assertIn(text, err)

    def test_minimal(self) -> None:
        self.assertEqual(self.run_minimal(), "[{'id': 1}]\n")
        out = self.run_minimal(ROSTERING_CLIENT_SECRET="wrong")
        self.assertRegex(out, "^token_endpoint_rejected: .*; again later: False\n$")
