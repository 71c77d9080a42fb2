import unittest
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import automatic_rostering
from automatic_rostering import Code
from automatic_rostering.contract import CONTRACT
from automatic_rostering.plugin import Plugin

from .case import InLoop, ServiceCase

VERSION = Path(__file__).parents[3] / "VERSION"


def plugin_with_version(output: bytes) -> bytes:
    """Make a plugin, in WebAssembly's text format, whose export `version` puts this out."""
    stores = "".join(
        f"(call $store (i64.add (local.get $at) (i64.const {i})) (i32.const {byte}))"
        for i, byte in enumerate(output)
    )
    return f"""(module
        (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
        (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
        (import "extism:host/env" "output_set" (func $output (param i64 i64)))
        (func (export "version") (result i32) (local $at i64)
            (local.set $at (call $alloc (i64.const {len(output)})))
            {stores}
            (call $output (local.get $at) (i64.const {len(output)}))
            (i32.const 0)))""".encode()


class Version(unittest.TestCase):
    def test_version(self) -> None:
        self.assertEqual(automatic_rostering.__version__, VERSION.read_text().strip())
        self.assertEqual(automatic_rostering.CONTRACT, CONTRACT)


class Opening(ServiceCase):
    def setUp(self) -> None:
        super().setUp()
        self.close = self.enterContext(
            mock.patch.object(Plugin, "close", autospec=True, side_effect=Plugin.close)
        )

    def want_refused(self, plugin: bytes, found: str) -> None:
        want = (
            f"this library needs a plugin of contract {CONTRACT}, and this one has {found};"
            " use the library from the plugin's release"
        )
        with self.assertRaises(ValueError) as caught:
            self.open(plugin=plugin)
        self.assertEqual(str(caught.exception), want)
        self.want_closed()

    def want_closed(self) -> None:
        self.close.assert_called_once()
        self.close.reset_mock()

    def test_another_contract(self) -> None:
        for contract in (1, CONTRACT + 1):
            text = f'{{"version":"9.9.9","contract":{contract}}}'
            self.want_refused(plugin_with_version(text.encode()), f"contract {contract}")

    def test_no_contract(self) -> None:
        found = 'contract 1, or is not a build of Automatic Rostering: it has no export "version"'
        self.want_refused(b"(module)", found)
        for output in (b"", b"1.0", b"1", b"{}", b"\xff"):
            with self.subTest(output):
                self.want_refused(plugin_with_version(output), found)

    def test_config_at_open(self) -> None:
        wrong: list[tuple[dict[str, Any], Code, str]] = [
            ({"client_id": ""}, "config_missing", "client_id"),
            ({"environment": None}, "config_missing", "environment"),
            ({"environment": "test"}, "config_invalid", "environment"),
            ({"client_secret": "a secret\n"}, "config_invalid", "client_secret"),
            ({"base_url": "/"}, "config_invalid", "base_url"),
        ]
        for config, code, key in wrong:
            with self.subTest(key):
                call = partial(self.open, config=config)
                error = self.want_error(code, call)
                self.assertEqual((error.key, error.retryable), (key, False))
                self.assertNotIn("a secret", repr(error))
                self.want_closed()
        self.want_requests(0, 0)


class AsyncOpening(Opening):
    form = InLoop
