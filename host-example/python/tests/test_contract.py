import unittest
from pathlib import Path

import rostering
from rostering.contract import CONTRACT, check_contract
from rostering.plugin import BUNDLED

HEADER = b"\0asm\1\0\0\0"
VERSION = Path(__file__).parents[3] / "VERSION"


def section(content: bytes, name: bytes = b"rostering") -> bytes:
    rest = bytes([len(name)]) + name + content
    return bytes([0, len(rest)]) + rest


class Contract(unittest.TestCase):
    def test_version(self) -> None:
        self.assertEqual(rostering.__version__, VERSION.read_text().strip())
        self.assertEqual(rostering.CONTRACT, CONTRACT)

    def test_this_contract(self) -> None:
        own, other = section(b'{"contract":1,"version":"9.9.9"}'), section(b"text", b"name")
        check_contract(BUNDLED.read_bytes())
        for content in (own, other + own, b"\1\x80\1" + bytes(128) + own, own + b"\0\xff"):
            check_contract(HEADER + content)

    def test_another_contract(self) -> None:
        reason = (
            "^the plugin has contract 2, and this library needs 1:"
            " take the library of the plugin's release$"
        )
        with self.assertRaisesRegex(ValueError, reason):
            check_contract(HEADER + section(b'{"contract":2}'))

    def test_what_is_not_a_build_of_the_plugin(self) -> None:
        reason = '^the file is not a build of the plugin: it has no section "rostering"$'
        own = section(b'{"contract":1}')
        for wasm in (
            b"",
            b"#!/bin/sh",
            own,
            HEADER,
            HEADER + b"\0",
            HEADER + section(b'{"contract":1}', b"Rostering"),
            HEADER + own[:-1],
            HEADER + b"\0\1" + own[2:],  # the name is longer than the section
            HEADER + b"\0\xff\xff\xff\xff\x0f" + own[2:-1],
            HEADER + b"\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\1" + own,
            HEADER + b"\1\x80\x80\x80\x80\x80\x80\x80" + own,
            *(
                HEADER + section(text)
                for text in (b"", b"1", b"[]", b"{}", b'{"contract":true}', b"\xff", b"[" * 100)
            ),
        ):
            with self.subTest(wasm), self.assertRaisesRegex(ValueError, reason):
                check_contract(wasm)
        large = b"\0\xff\xff\x03" + b"\x09rostering" + b"[" * 65525
        with self.assertRaisesRegex(ValueError, reason):
            check_contract(HEADER + large)
