from unittest import TestCase

from automatic_rostering import CONTRACT, Client
from automatic_rostering.contract import check_contract
from automatic_rostering.kept import KeptSteps
from automatic_rostering.plugin import BUNDLED
from automatic_rostering.step import Step

from .service import CONFIG

STEP = Step("done")
KEY = ("list_jobs", "{}")


class Opening(TestCase):
    def test_plugin(self) -> None:
        for plugin in (BUNDLED, str(BUNDLED), BUNDLED.read_bytes()):
            Client(CONFIG, plugin=plugin).close()
        with self.assertRaises(FileNotFoundError):
            Client(CONFIG, plugin="none.wasm")
        with self.assertRaisesRegex(ValueError, "^cannot load the plugin: "):
            Client(CONFIG, plugin=b"#!/bin/sh")

    def test_another_contract(self) -> None:
        want = f"^this library needs a plugin of contract {CONTRACT}, and this one has contract "
        with self.assertRaisesRegex(ValueError, f'{want}1, .* has no export "version"'):
            Client(CONFIG, plugin=b"(module)")
        for output, found in (
            (b'{"contract":3}', "3;"),
            *((output, "1, or is not a build") for output in (b"", b"1.0", b"1", b"{}", b"\xff")),
        ):
            with self.subTest(output), self.assertRaisesRegex(ValueError, want + found):
                check_contract(lambda *_, output=output: output)


class Kept(TestCase):
    def test_step_of_a_plugin_that_changed_meanwhile_is_not_kept(self) -> None:
        kept = KeptSteps()
        generation = kept.generation
        kept.drop()
        kept.keep(KEY, STEP, 10, generation)
        self.assertIsNone(kept.find(KEY, 1))
        kept.keep(KEY, STEP, 10, kept.generation)
        self.assertIs(kept.find(KEY, 9), STEP)
        self.assertIsNone(kept.find(KEY, 10))

    def test_only_so_many_are_kept(self) -> None:
        kept = KeptSteps()
        for n in range(1000):
            key = ("send_request", str(n))
            kept.keep(key, STEP, 10, kept.generation)
            self.assertIs(kept.find(key, 1), STEP)
            self.assertLessEqual(len(kept._steps), 256)
