use std::error::Error as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use automatic_rostering::reqwest;
use automatic_rostering::{CallError, Client, Code, Config, Error, Options, Token};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Returns the error of a call, which must be one of the contract.
pub fn call_error<T>(result: Result<T, Error>) -> CallError {
    match result.map(|_| ()) {
        Err(Error::Call(error)) => *error,
        other => panic!("{other:?}"),
    }
}

async fn open(config: &Config) -> Client {
    Client::open(config, Options::default()).await.unwrap()
}

async fn rejected() -> CallError {
    let sandbox = Sandbox::start();
    let client = open(&sandbox.config_with(|config| config.client_secret = "not-the-secret".into())).await;
    call_error(client.list_jobs().await)
}

#[tokio::test]
async fn error_text() {
    let mut error = rejected().await;
    assert_eq!((error.code, error.status), (Code::TokenEndpointRejected, Some(401)));
    assert_eq!((error.retryable, error.retry_after), (false, Some(Duration::from_secs(1))));
    let description = error.oauth_error_description.clone().unwrap();
    let text = format!("token_endpoint_rejected: {} (status 401, invalid_client: {description})", error.message);
    assert_eq!(error.to_string(), text);
    assert!(format!("{error:?}").contains("status 401") && !text.contains('\n'), "{text}");
    error.oauth_error_description = None;
    assert!(error.to_string().ends_with(" (status 401, invalid_client)"), "{error}");
    assert_eq!(CallError::new(Code::NetworkError, "lost").to_string(), "network_error: lost");
    assert_eq!(Error::Open("no file".into()).to_string(), "cannot open the client: no file");
}

#[tokio::test]
async fn error_json() {
    let error = rejected().await;
    let json = json!({
        "code": "token_endpoint_rejected", "message": error.message, "retryable": false, "status": 401,
        "oauth_error": "invalid_client", "oauth_error_description": error.oauth_error_description, "retry_after": 1,
    });
    assert_eq!(serde_json::to_value(&error).unwrap(), json);
    // Of a later version.
    let error: CallError = serde_json::from_value(json!({ "code": "new", "message": "m", "more": 1 })).unwrap();
    assert_eq!((error.code, error.message.as_str()), (Code::Other, "m"));
}

#[tokio::test]
async fn error_cause() {
    let sandbox = Sandbox::start();
    let gone = "http://127.0.0.1:1".to_owned(); // nothing listens there
    let no_tls = sandbox.config().base_url.replace("http:", "https:");
    for (url, reason) in [(&gone, "Connection refused"), (&no_tls, "corrupt message")] {
        let of_the_service = sandbox.config_with(|config| config.base_url = url.clone());
        let of_the_token = sandbox.config_with(|config| config.auth_url = url.clone());
        for config in [of_the_service, of_the_token] {
            let error = call_error(open(&config).await.list_jobs().await);
            assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
            assert!(error.message.contains(reason) && !error.message.contains("http"), "{error}");
            let cause = error.source().and_then(|cause| cause.downcast_ref::<reqwest::Error>());
            assert!(cause.is_some_and(|cause| cause.is_connect() && cause.url().is_none()), "{error:?}");
        }
    }
    sandbox.fault(&json!({ "server": "jobs", "status": 503, "headers": { "Retry-After": "7" } }));
    let error = sandbox.client().await.list_jobs().await.unwrap_err();
    assert_eq!((error.is_retryable(), error.retry_after()), (true, Some(Duration::from_secs(7))));
}

#[tokio::test]
async fn not_2xx() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let token = client.get_token().await.unwrap();
    let body = format!("busy {} {}", sandbox.secret(), token.access_token.expose());
    sandbox.fault(&json!({ "server": "jobs", "status": 503, "body": body, "headers": { "X-Request": "abc" } }));
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.status, error.retryable), (Code::ServiceError, Some(503), true));
    assert_eq!(error.body.as_deref(), Some("busy [redacted] [redacted]"));
    assert_eq!(error.headers["x-request"], "abc");
    assert!(error.to_string().ends_with("(status 503)"), "{error}");
    assert!(!format!("{error:?}").contains("abc"), "{error:?}"); // a header may be anything
    sandbox.fault(&json!({ "server": "jobs", "status": 403, "body": "x".repeat(70 << 10) }));
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.body.map(|body| body.len()), error.body_truncated), (Some(4 << 10), true));
    sandbox.fault(&json!({ "server": "jobs", "status": 302, "headers": { "Location": "https://example.com/" } }));
    assert_eq!(call_error(client.list_jobs().await).headers["location"], "https://example.com/");
}

#[tokio::test]
async fn max_body() {
    let sandbox = Sandbox::start();
    let client = sandbox.client_with(Options::default().max_body(250)).await;
    sandbox.fault(&json!({ "server": "jobs", "status": 200, "body": "x".repeat(250) }));
    client.list_jobs().await.unwrap();
    sandbox.fault(&json!({ "server": "jobs", "status": 200, "body": "x".repeat(251) }));
    for _ in ["with a new token", "with a cached one"] {
        let error = call_error(client.list_jobs().await);
        assert_eq!((error.code, error.retryable), (Code::NetworkError, false));
        assert_eq!(error.message, "the response is larger than max_body (250 bytes): raise it or request less");
        client.clear_token().await.unwrap();
    }
}

#[tokio::test]
async fn timeout_of_a_call() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    assert!(format!("{:?}", Options::default()).contains("Some(30s)"));
    for timeout in [None, Some(Duration::MAX)] {
        client.with_timeout(timeout).list_jobs().await.unwrap();
    }
    for server in ["jobs", "auth"] {
        sandbox.fault(&json!({ "server": server, "hold": true }));
        let error = call_error(client.with_timeout(Duration::from_millis(200)).list_jobs().await);
        assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
        assert_eq!(error.message, "timed out after 200ms: call again, or raise the timeout");
        client.clear_token().await.unwrap();
    }
}

#[test]
fn outside_a_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let sandbox = Sandbox::start();
    let client = runtime.block_on(sandbox.client());
    let mut context = Context::from_waker(Waker::noop());
    let result = pin!(client.list_jobs()).poll(&mut context);
    assert!(matches!(result, Poll::Ready(Err(Error::NoRuntime))), "{result:?}");
    let (config, options) = (sandbox.config(), Options::default());
    let result = pin!(Client::open(&config, options)).poll(&mut context);
    assert!(matches!(result, Poll::Ready(Err(Error::NoRuntime))), "{result:?}");
}

#[test]
fn string_that_is_not_a_token_object() {
    let good = json!({ "access_token": "a", "token_type": "Bearer", "expires_at": 1, "cache_key": "k" });
    let with = |name: &str, value: Value| {
        let mut other = good.clone();
        other[name] = value;
        other.to_string()
    };
    let times = [json!("a-token"), json!(-1), json!(u64::MAX)].map(|time| with("expires_at", time));
    for text in ["", "a-token", r#""a-token""#, "[]", "{}"].map(String::from).into_iter().chain(times) {
        let error = Token::from_json(&text).expect_err(&text);
        assert_eq!(format!("{error} {error:?}"), "not a token object: pass what a Token is serialized to NotAToken");
    }
}
