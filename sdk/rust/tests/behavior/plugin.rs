//! What the library does with a plugin, with plugins in WebAssembly's text format.

use automatic_rostering::{CONTRACT, Client, Code, Config, Error, Options, Token};
use serde_json::{Value, json};

/// A plugin with these further imports. `version`, `begin` and `resume` return the outputs, one after the other, `clear_token`
/// does what `act` says, and `set_token` fails without the variable of `$key`.
fn plugin(outputs: &[Value], imports: &str, act: &str) -> Vec<u8> {
    let outputs: Vec<_> = outputs.iter().map(|output| format!("{:256}", output.to_string())).collect();
    let escaped = outputs.concat().replace('"', "\\22");
    let text = format!(
        r#"(module
            (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
            (import "extism:host/env" "length" (func $length (param i64) (result i64)))
            (import "extism:host/env" "load_u8" (func $load_u8 (param i64) (result i32)))
            (import "extism:host/env" "load_u64" (func $load_u64 (param i64) (result i64)))
            (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
            (import "extism:host/env" "input_load_u64" (func $input_load_u64 (param i64) (result i64)))
            (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))
            (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64)))
            (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
            (import "extism:host/env" "http_request" (func $http_request (param i64 i64) (result i64)))
            {imports}
            (memory 1)
            (data (i32.const 0) "{escaped}")
            (global $next (mut i32) (i32.const 0))
            (func (export "version") (export "begin") (export "resume") (result i32)
                (local $block i64) (local $i i32)
                (local.set $block (call $alloc (i64.const 256)))
                (loop $copy
                    (call $store_u64
                        (i64.add (local.get $block) (i64.extend_i32_u (local.get $i)))
                        (i64.load (i32.add (global.get $next) (local.get $i))))
                    (local.set $i (i32.add (local.get $i) (i32.const 8)))
                    (br_if $copy (i32.lt_u (local.get $i) (i32.const 256))))
                (global.set $next (i32.add (global.get $next) (i32.const 256)))
                (call $output_set (local.get $block) (i64.const 256))
                (i32.const 0))
            (func $key (result i64)
                (local $block i64)
                (local.set $block (call $alloc (i64.const 8)))
                (call $store_u64 (local.get $block) (i64.const 7))
                (local.get $block))
            (func (export "set_token") (result i32)
                (if (i64.eqz (call $var_get (call $key))) (then unreachable))
                (i32.const 0))
            (func (export "check") (result i32) (i32.const 0))
            (func (export "clear_token") (result i32) {act} (i32.const 0)))"#
    );
    wat::parse_str(text).unwrap()
}

fn version(contract: u64) -> Value {
    json!({ "version": "9.0.0", "contract": contract })
}

async fn open(wasm: Vec<u8>) -> Result<Client, Error> {
    Client::open(&Config::default(), Options::default().wasm(wasm)).await
}

#[tokio::test]
async fn files_that_are_no_plugin_of_the_contract() {
    let needs = ", and this library needs 1: use the library from the plugin's release";
    let unknown = "the plugin does not report its contract (";
    let not_loaded = "the plugin does not load; if you set Options::wasm, check that file: ";
    for (wasm, start, end) in [
        (plugin(&[version(3)], "", ""), "the plugin has contract 3", needs),
        (plugin(&[json!({})], "", ""), unknown, needs),
        (b"\0asm\x01\0\0\0".into(), unknown, needs),
        (b"#!/bin/sh\n".into(), not_loaded, ""),
        (plugin(&[], r#"(import "extism:host/env" "var_list" (func))"#, ""), not_loaded, ""),
    ] {
        let result = open(wasm).await;
        let refused = result.unwrap_err().to_string().split_off("plugin_failed: ".len());
        assert!(refused.starts_with(start) && refused.ends_with(end), "{refused}");
    }
}

async fn has_variable(client: &Client) -> bool {
    let token = r#"{"access_token":"a","cache_key":"k","expires_at":1,"token_type":"Bearer"}"#;
    client.set_token(&Token::from_json(token).unwrap()).await.is_ok()
}

#[tokio::test]
async fn limits() {
    let (outside, memory) = ("outside of a block", "more memory than it may have");
    for (act, expected) in [
        ("(drop (call $load_u8 (i64.const 0)))", outside),
        ("(drop (call $load_u8 (i64.const 4294967296)))", outside),
        ("(drop (call $load_u8 (i64.const -1)))", outside),
        ("(drop (call $load_u64 (i64.add (call $alloc (i64.const 8)) (i64.const 1))))", outside),
        ("(call $store_u64 (call $alloc (i64.const 7)) (i64.const 1))", outside),
        ("(call $output_set (call $alloc (i64.const 8)) (i64.const 9))", outside),
        ("(drop (call $length (i64.const 4294967296)))", outside),
        ("(drop (call $input_load_u64 (i64.const 1)))", outside), // of none
        ("(drop (call $alloc (i64.const -1)))", memory),
        ("(drop (call $alloc (i64.const 9000000))) (drop (call $alloc (i64.const 9000000)))", memory),
        ("(loop $again (drop (call $alloc (i64.const 0))) (br $again))", memory),
        ("(call $var_set (call $key) (call $alloc (i64.const 1048576)))", "variables are too large"),
        ("(drop (call $http_request (i64.const 0) (i64.const 0)))", "sends no requests itself"),
        ("(if (i32.eq (memory.grow (i32.const 256)) (i32.const -1)) (then unreachable))", "unreachable"),
    ] {
        let client = open(plugin(&[version(CONTRACT)], "", act)).await.unwrap();
        for _ in ["at first", "again, since a trap ends only its call"] {
            let error = client.clear_token().await.unwrap_err();
            assert!(error.code == Code::PluginFailed && error.to_string().contains(expected), "{act}: {error}");
        }
        assert!(!has_variable(&client).await);
    }
}

#[tokio::test]
async fn variables_survive_a_trap() {
    let act = "(call $var_set (call $key) (call $key)) unreachable";
    let client = open(plugin(&[version(CONTRACT)], "", act)).await.unwrap();
    client.clear_token().await.unwrap_err();
    assert!(has_variable(&client).await);
}
