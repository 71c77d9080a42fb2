use std::time::Duration;

use rostering::{CallError, Code, Config, Error, Ids, Rostering};

use crate::form::Form;
use crate::service::{JOBS, Service, answer};

in_both_forms!(
    config,
    numbers_and_flags_of_the_config,
    input,
    token_endpoint,
    service,
    code_of_a_later_version,
    texts_that_are_no_error_of_the_contract,
    fault_of_the_plugin,
);

/// The error of a call that must fail for a reason that the contract knows.
pub fn call_error<T>(result: Result<T, Error>) -> CallError {
    match result.map(|_| ()) {
        Err(Error::Call(error)) => *error,
        other => panic!("{other:?}"),
    }
}

fn config(form: Form) {
    let service = Service::start();
    let good = service.config();
    let cases = [
        (Config { environment: "test".into(), ..good.clone() }, Code::ConfigInvalid, "environment"),
        (Config { client_id: String::new(), ..good.clone() }, Code::ConfigMissing, "client_id"),
        (
            Config { auth_url: "http://[::1".into(), ..good.clone() },
            Code::ConfigInvalid,
            "auth_url",
        ),
        (Config { auth_url: "nowhere".into(), ..good.clone() }, Code::ConfigInvalid, "auth_url"),
        (Config { auth_url: "http://a.test".into(), ..good }, Code::ConfigInvalid, "auth_url"),
    ];
    for (config, code, key) in cases {
        let error = call_error(form.open(&config).list_jobs());
        assert_eq!((error.code, error.key.as_deref()), (code, Some(key)), "{error}");
        assert!(!error.retryable && error.source.is_none(), "{error:?}");
    }
    assert_eq!(service.count(), (0, 0));
}

fn numbers_and_flags_of_the_config(form: Form) {
    let service = Service::start();
    let config = Config {
        base_url: service.url.replace("127.0.0.1", "0.0.0.0"), // no loopback for the plugin
        refresh_margin: Some(0),
        allow_http: true,
        ..service.config()
    };
    assert_eq!(form.open(&config).list_jobs().unwrap(), JOBS.as_bytes());
}

fn input(form: Form) {
    let ids = Ids { customer_id: "line\nbreak".into(), ..Ids::default() };
    let error = call_error(Service::start().client(form).list_jobs_of(&ids));
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("customer_id")));
}

fn token_endpoint(form: Form) {
    let service = Service::start();
    let config = Config { client_secret: "wrong".into(), ..service.config() };
    let error = call_error(form.open(&config).list_jobs());
    assert_eq!((error.code, error.status), (Code::TokenEndpointRejected, Some(401)));
    assert_eq!(error.oauth_error.as_deref(), Some("invalid_client"));
    assert_eq!(error.oauth_error_description.as_deref(), Some("unknown"));
    assert_eq!((error.retryable, error.retry_after), (false, Some(Duration::from_secs(1))));
    assert_eq!(error.to_string(), format!("token_endpoint_rejected: {}", error.message));
}

fn service(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    service.on_jobs(|_| answer(503, "busy"));
    let error = call_error(client.list_jobs());
    assert_eq!((error.code, error.status), (Code::ServiceError, Some(503)));
    let known = (form == Form::Direct).then_some("busy");
    assert_eq!((error.body.as_deref(), error.body_truncated), (known, false));
    assert!(error.retryable);

    service.on_jobs(|_| answer(403, "x".repeat(70 << 10)));
    let error = call_error(client.list_jobs());
    assert_eq!((error.status, error.retryable), (Some(403), false));
    let known = (form == Form::Direct).then(|| "x".repeat(64 << 10));
    assert_eq!((error.body_truncated, error.body), (known.is_some(), known));

    service.mend();
    assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
}

fn code_of_a_later_version(form: Form) {
    let text = r#"{"code":"too_new","message":"m","of_a_later_version":1}"#;
    let error = call_error(stub(form, &fails_with(text)).list_jobs());
    assert_eq!((error.code, error.message.as_str()), (Code::Other, "m"));
}

fn texts_that_are_no_error_of_the_contract(form: Form) {
    for text in ["oom", "{}", "[]", r#"{"code":"service_error"}"#] {
        let result = stub(form, &fails_with(text)).list_jobs();
        assert!(matches!(result, Err(Error::Plugin(_))), "{text}: {result:?}");
    }
}

fn fault_of_the_plugin(form: Form) {
    let result = stub(form, "unreachable").list_jobs();
    assert!(matches!(result, Err(Error::Plugin(_))), "{result:?}");
}

/// Code that fails a call with an error text.
fn fails_with(text: &str) -> String {
    let stores = text.bytes().enumerate().map(|(i, byte)| {
        let address = format!("(i64.add (local.get $text) (i64.const {i}))");
        format!("(call $store_u8 {address} (i32.const {byte}))")
    });
    format!(
        "(local.set $text (call $alloc (i64.const {})))
         {}
         (call $error_set (local.get $text)) (i32.const 1)",
        text.len(),
        stores.collect::<Vec<_>>().concat()
    )
}

/// A plugin with this code instead of the real one's.
fn stub(form: Form, code: &str) -> Rostering {
    let names =
        ["get_token", "list_jobs", "send_request", "set_token", "clear_token", "begin", "resume"];
    let exports = names
        .map(|name| format!("(func (export \"{name}\") (result i32) (local $text i64) {code})\n"));
    let wasm = format!(
        r#"(module
            (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
            (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
            (import "extism:host/env" "error_set" (func $error_set (param i64)))
            {})"#,
        exports.concat()
    );
    form.load(wasm, &Config::default()).expect("the stub loads")
}
