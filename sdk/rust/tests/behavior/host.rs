//! The limits of what a plugin can do, with plugins in WebAssembly's text format.

use automatic_rostering::{CONTRACT, Client, Config, Error, Options, Token};

/// Opens a client with a plugin whose export `clear_token` does this, and whose `set_token` fails without the variable of the
/// key.
async fn open(imports: &str, act: &str) -> Result<Client, Error> {
    let version = format!("{:16}", format!("{{\"contract\":{CONTRACT}}}")).replace('"', "\\22");
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
            (data (i32.const 0) "{version}")
            (func (export "version") (result i32)
                (local $block i64)
                (local.set $block (call $alloc (i64.const 16)))
                (call $store_u64 (local.get $block) (i64.load (i32.const 0)))
                (call $store_u64 (i64.add (local.get $block) (i64.const 8)) (i64.load (i32.const 8)))
                (call $output_set (local.get $block) (i64.const 16))
                (i32.const 0))
            (func (export "check") (result i32) (i32.const 0))
            (func $key (result i64)
                (local $block i64)
                (local.set $block (call $alloc (i64.const 8)))
                (call $store_u64 (local.get $block) (i64.const 7))
                (local.get $block))
            (func (export "set_token") (result i32)
                (if (i64.eqz (call $var_get (call $key))) (then unreachable))
                (i32.const 0))
            (func (export "clear_token") (result i32) {act} (i32.const 0)))"#
    );
    Client::open(&Config::default(), Options::default().wasm(wat::parse_str(text).unwrap())).await
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
        let client = open("", act).await.unwrap();
        for _ in ["at first", "again, since a trap ends only its call"] {
            let error = client.clear_token().await.unwrap_err();
            assert!(matches!(error, Error::Failed(_)) && error.to_string().contains(expected), "{act}: {error}");
        }
        assert!(!has_variable(&client).await);
    }
}

#[tokio::test]
async fn variables_survive_a_trap() {
    let client = open("", "(call $var_set (call $key) (call $key)) unreachable").await.unwrap();
    client.clear_token().await.unwrap_err();
    assert!(has_variable(&client).await);
}

#[tokio::test]
async fn unknown_import() {
    let error = open(r#"(import "extism:host/env" "var_list" (func))"#, "").await.unwrap_err();
    assert!(matches!(error, Error::Open(_)) && error.to_string().contains("extism:host/env::var_list"), "{error}");
}
