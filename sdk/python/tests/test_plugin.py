from pathlib import Path
from unittest import TestCase

from automatic_rostering import CONTRACT, Client
from automatic_rostering.plugin import bundled, check_contract

from .service import CONFIG, Service


class Opening(TestCase):
    def test_plugin(self) -> None:
        path = Path(__file__).parents[3] / "dist/rostering-nowasi.wasm"
        for plugin in (path, str(path), bundled()):
            Client(CONFIG, plugin=plugin).close()
        with self.assertRaises(FileNotFoundError):
            Client(CONFIG, plugin="none.wasm")
        with self.assertRaisesRegex(ValueError, "^cannot load the plugin: "):
            Client(CONFIG, plugin=b"#!/bin/sh")

    def test_another_contract(self) -> None:
        want = f"^this library needs a plugin of contract {CONTRACT}, and this one has "
        with self.assertRaisesRegex(ValueError, f'{want}no export "version"'):
            Client(CONFIG, plugin=b"(module)")
        for output, found in (
            (b'{"contract":3}', "contract 3;"),
            *((output, "no export") for output in (b"", b"1.0", b"1", b"{}", b"\xff")),
        ):
            with self.subTest(output), self.assertRaisesRegex(ValueError, want + found):
                check_contract(lambda *_, output=output: output)


class Kept(TestCase):
    def test_only_so_many_requests_are_kept(self) -> None:
        with Client(CONFIG, http=Service().http()) as client:
            requests = client._core.service._requests
            for n in range(300):
                client.send_request(f"/{n}")
                self.assertLessEqual(len(requests), 256)
            client.send_request("/299")
            self.assertEqual(len(requests), 300 - 256)
