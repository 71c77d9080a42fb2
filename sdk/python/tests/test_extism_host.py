import gc
import logging
import unittest
import weakref
from typing import Any

from automatic_rostering.extism_host import Instance, Trap
from automatic_rostering.plugin import bundled

INPUT = 1 << 32  # its offset
FAR = 1 << 40  # of no block
FUNCTIONS = """
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "length" (func $length (param i64) (result i64)))
    (import "extism:host/env" "load_u8" (func $load_u8 (param i64) (result i32)))
    (import "extism:host/env" "load_u64" (func $load_u64 (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
    (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
    (import "extism:host/env" "input_length" (func $input_length (result i64)))
    (import "extism:host/env" "input_load_u8" (func $input_u8 (param i64) (result i32)))
    (import "extism:host/env" "input_load_u64" (func $input_u64 (param i64) (result i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "extism:host/env" "error_set" (func $error (param i64)))
    (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64)))
    (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
    (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
    (import "extism:host/env" "log_warn" (func $warn (param i64)))
    (import "extism:host/env" "http_request" (func $request (param i64 i64) (result i64)))"""


class Host(unittest.TestCase):
    def setUp(self) -> None:
        self.lines: list[tuple[int, str]] = []

    def open(self, **exports: str) -> Instance:
        """Open a plugin whose exports have these bodies, with a block of 9 bytes in $block."""
        functions = "".join(
            f'(func (export "{name}") (result i32) (local $block i64)'
            f"(local.set $block (call $alloc (i64.const 9))) {body})"
            for name, body in exports.items()
        )
        instance = self.open_module(f"(module {FUNCTIONS} {functions})")
        self.addCleanup(instance.close)
        return instance

    def open_module(self, text: str) -> Instance:
        return Instance(text.encode(), {"input": "v"}, lambda *line: self.lines.append(line))

    def test_bounds(self) -> None:
        block = "(i64.add (local.get $block) (i64.const {}))".format
        for body, message in {
            f"(drop (call $load_u8 {block(8)}))": None,
            f"(drop (call $load_u64 {block(1)}))": None,
            f"(call $store_u64 {block(1)} (i64.const 0))": None,
            f"(drop (call $load_u8 {block(9)}))": "unreachable",
            f"(drop (call $load_u64 {block(2)}))": "unreachable",
            f"(call $store_u8 {block(9)} (i32.const 0))": "unreachable",
            f"(call $store_u64 {block(2)} (i64.const 0))": "unreachable",
            f"(drop (call $load_u8 {block(-1)}))": "unreachable",
            "(drop (call $load_u8 (i64.const 0)))": "unreachable",
            f"(drop (call $load_u64 (i64.const {FAR})))": "unreachable",
            "(drop (call $load_u64 (i64.const -1)))": "unreachable",
            f"(drop (call $length (i64.const {FAR})))": "unreachable",
            "(drop (call $input_u8 (i64.const 4)))": None,
            "(drop (call $input_u8 (i64.const 5)))": "unreachable",
            "(drop (call $input_u64 (i64.const 0)))": "unreachable",
            "(drop (call $input_u64 (i64.const -1)))": "unreachable",
            "(drop (call $alloc (i64.const 16000000)))": None,
            "(drop (call $alloc (i64.const 17000000)))": "unreachable",
            "(drop (call $alloc (i64.const -1)))": "unreachable",
            "(loop $l (drop (call $alloc (i64.const 0))) (br $l))": "unreachable",
            f"(call $output {block(0)} (i64.const 9))": None,
            f"(call $output {block(1)} (i64.const 9))": "beyond the end of a block",
            f"(call $output {block(9)} (i64.const -1))": "beyond the end of a block",
            f"(call $error (i64.const {FAR}))": "a block that is not allocated",
            "(call $warn (i64.const -1))": "a block that is not allocated",
            f"(call $var_set {block(0)} (i64.const {FAR}))": "a block that is not allocated",
            f"(call $var_set {block(0)} (call $alloc (i64.const 1048577)))": "larger than 1 MiB",
            "(loop $l (drop (call $config (i64.const 4294967296))) (br $l))": "too much memory",
            "(drop (call $request (i64.const 0) (i64.const 0)))": "tried to send a request",
            "(unreachable)": "unreachable",
        }.items():
            with self.subTest(body):
                instance = self.open(run=body + "(i32.const 0)", after="(i32.const 0)")
                if message is None:
                    instance.call("run", b"input")
                else:
                    with self.assertRaisesRegex(Trap, message):
                        instance.call("run", b"input")
                instance.call("after", b"")  # a trap ends the call alone

    def test_calls(self) -> None:
        instance = self.open(
            fail=f"(call $error (i64.const {INPUT})) (i32.const 1)",
            silent="(i32.const 1)",
            log=f"(call $warn (i64.const {INPUT})) (i32.const 0)",
            remember=f"(call $var_set (i64.const 0) (i64.const {INPUT})) (unreachable)",
            recall="(local.set $block (call $var_get (i64.const 0)))"
            "(call $output (local.get $block) (call $length (local.get $block))) (i32.const 0)",
        )
        self.assertEqual(instance.call("fail", b"why"), (b"", b"why"))
        instance.call("log", b"line\xff")
        self.assertEqual(self.lines, [(logging.WARNING, "line\N{REPLACEMENT CHARACTER}")])
        with self.assertRaises(Trap):
            instance.call("remember", b"a var outlives a trap")
        self.assertEqual(instance.call("recall", b""), (b"a var outlives a trap", b""))
        for export, message in (("silent", "returned 1 without an error"), ("x", "no export x")):
            with self.assertRaisesRegex(Trap, message):
                instance.call(export, b"")
        with self.assertRaisesRegex(Trap, "too much memory"):
            instance.call("log", bytes(17_000_000))

    def test_what_cannot_be_opened(self) -> None:
        for text, message in (
            ('(module (import "extism:host/env" "seven" (func)))', "env::seven` has not been"),
            ('(module (import "wasi" "exit" (func)))', "wasi::exit` has not been"),
            ('(module (import "extism:host/env" "alloc" (func)))', "incompatible import type"),
            ("(module (memory 257))", "exceeds memory limits"),
            ("#!/bin/sh", "expected"),
        ):
            with self.subTest(text), self.assertRaisesRegex(Trap, message):
                self.open_module(text)

    def test_an_instance_that_is_not_closed_is_freed(self) -> None:
        instance: Any = Instance(bundled(), {}, print)
        state = weakref.ref(instance._state)
        del instance
        gc.collect()
        self.assertIsNone(state())
