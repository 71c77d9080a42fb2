use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rostering::reqwest::ClientBuilder;
use rostering::{CallError, Client, Code, Config, Error, Options, Token};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// The error of a call that must fail for a reason that the contract knows.
pub fn call_error<T>(result: Result<T, Error>) -> CallError {
    match result.map(|_| ()) {
        Err(Error::Call(error)) => *error,
        other => panic!("{other:?}"),
    }
}

async fn open(config: &Config) -> Client {
    Client::open(config, Options::default()).await.unwrap()
}

#[tokio::test]
async fn of_the_identity_provider() {
    let sandbox = Sandbox::start();
    let client = open(&Config { client_secret: "not-the-secret".into(), ..sandbox.config() }).await;
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.status), (Code::TokenEndpointRejected, Some(401)));
    assert_eq!(error.oauth_error.as_deref(), Some("invalid_client"));
    assert!(error.oauth_error_description.is_some());
    assert_eq!((error.retryable, error.retry_after), (false, Some(Duration::from_secs(1))));
    assert_eq!(error.to_string(), format!("token_endpoint_rejected: {}", error.message));
    let json = json!({
        "code": "token_endpoint_rejected", "message": error.message, "retryable": false, "status": 401,
        "oauth_error": "invalid_client", "oauth_error_description": error.oauth_error_description, "retry_after": 1,
    });
    assert_eq!(serde_json::to_value(&error).unwrap(), json);
}

#[tokio::test]
async fn of_the_service() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let token = client.get_token().await.unwrap();
    let body = format!("busy {} {}", sandbox.secret(), token.access_token.expose());
    sandbox.fault(&json!({ "server": "jobs", "status": 503, "body": body }));
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.status, error.retryable), (Code::ServiceError, Some(503), true));
    assert_eq!(error.body.as_deref(), Some("busy [redacted] [redacted]"));
    sandbox.fault(&json!({ "server": "jobs", "status": 403, "body": "x".repeat(70 << 10) }));
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.body.map(|body| body.len()), error.body_truncated), (Some(64 << 10), true));
}

#[tokio::test]
async fn of_the_config() {
    let sandbox = Sandbox::start();
    let refused = [
        (Config { auth_url: "nowhere".into(), ..sandbox.config() }, Code::ConfigInvalid, "auth_url"),
        (Config { environment: None, ..sandbox.config() }, Code::ConfigMissing, "environment"),
    ];
    for (config, code, key) in refused {
        let error = call_error(Client::open(&config, Options::default()).await);
        assert_eq!((error.code, error.key.as_deref(), error.retryable), (code, Some(key), false));
        assert!(error.message.contains(key), "{error}");
    }
    // Tokens need none.
    let client = open(&Config { base_url: String::new(), ..sandbox.config() }).await;
    client.get_token().await.unwrap();
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.key.as_deref()), (Code::ConfigMissing, Some("base_url")));
}

#[tokio::test]
async fn request_without_an_answer() {
    let sandbox = Sandbox::start();
    let gone = "http://127.0.0.1:1".to_owned(); // nothing listens there
    let no_tls = sandbox.config().base_url.replace("http:", "https:");
    for (base_url, reason) in [(gone, "Connection refused"), (no_tls, "corrupt message")] {
        let error = call_error(open(&Config { base_url, ..sandbox.config() }).await.list_jobs().await);
        assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
        assert!(error.message.contains(reason) && !error.message.contains("http"), "{error}");
    }
}

#[tokio::test]
async fn time_out() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    for timeout in [None, Some(Duration::MAX)] {
        client.with_timeout(timeout).list_jobs().await.unwrap();
    }
    sandbox.fault(&json!({ "server": "jobs", "hold": true }));
    let error = call_error(client.with_timeout(Some(Duration::from_millis(200))).list_jobs().await);
    assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
    assert!(error.message.contains("timed out after 200ms"), "{error}");
}

#[test]
fn of_a_later_version() {
    let error: CallError = serde_json::from_value(json!({ "code": "new", "message": "m", "more": 1 })).unwrap();
    assert_eq!((error.code, error.message.as_str()), (Code::Other, "m"));
}

#[tokio::test]
async fn of_open() {
    let config = Sandbox::start().config();
    let http = ClientBuilder::new().user_agent("line\nbreak");
    let result = Client::open(&config, Options { http, ..Options::default() }).await;
    assert!(matches!(result, Err(Error::Open(_))), "{result:?}");
}

#[test]
fn outside_a_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = runtime.block_on(Sandbox::start().client());
    let mut context = Context::from_waker(Waker::noop());
    let result = pin!(client.list_jobs()).poll(&mut context);
    assert!(matches!(result, Poll::Ready(Err(Error::NoRuntime))), "{result:?}");
}

#[test]
fn text_that_is_not_a_token_object() {
    let good = json!({ "access_token": "a", "token_type": "Bearer", "expires_at": 1, "cache_key": "k" });
    let with = |name: &str, value: Value| {
        let mut other = good.clone();
        other[name] = value;
        other.to_string()
    };
    let times = [json!("a-token"), json!(-1), json!(u64::MAX)].map(|time| with("expires_at", time));
    for text in ["", "a-token", r#""a-token""#, "[]", "{}"].map(String::from).into_iter().chain(times) {
        let error = Token::from_json(&text).expect_err(&text);
        assert_eq!(format!("{error} {error:?}"), "not a token object NotAToken");
    }
}
