//! The types of the API.

use std::error::Error as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use automatic_rostering::reqwest::{self, Method, header::HeaderMap};
use automatic_rostering::{Client, Code, Error, FileStore, Options, RedisStore, Request, Token, redis};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// Returns the error of a call.
pub fn call_error<T>(result: Result<T, Error>) -> Error {
    result.map(drop).unwrap_err()
}

#[test]
fn code_of_a_newer_plugin() {
    let error: Error = serde_json::from_value(json!({ "code": "new", "message": "m", "more": 1 })).unwrap();
    assert_eq!((error.code, error.message.as_str()), (Code::Other, "m"));
}

#[tokio::test]
async fn cause_of_an_error() {
    let sandbox = Sandbox::start();
    let gone = "http://127.0.0.1:1".to_owned(); // nothing listens there
    let no_tls = sandbox.config().base_url.replace("http:", "https:");
    for (url, reason) in [(gone, "Connection refused"), (no_tls, "corrupt message")] {
        let mut config = sandbox.config();
        config.base_url = url;
        let client = Client::open(&config, Options::default()).await.unwrap();
        let error = call_error(client.list_jobs().await);
        assert!(error.message.contains(reason) && !error.message.contains("http"), "{error}");
        let cause = error.source().and_then(|cause| cause.downcast_ref::<reqwest::Error>());
        assert!(cause.is_some_and(|cause| cause.is_connect() && cause.url().is_none()), "{error:?}");
    }
}

#[test]
fn outside_a_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let sandbox = Sandbox::start();
    let client = runtime.block_on(sandbox.client());
    let mut context = Context::from_waker(Waker::noop());
    let result = pin!(client.list_jobs()).poll(&mut context);
    let refused = |error: &Error| error.to_string().contains("not in a tokio runtime");
    assert!(matches!(&result, Poll::Ready(Err(error)) if refused(error)), "{result:?}");
    let (config, options) = (sandbox.config(), Options::default());
    let result = pin!(Client::open(&config, options)).poll(&mut context);
    assert!(matches!(&result, Poll::Ready(Err(error)) if refused(error)), "{result:?}");
}

#[test]
fn token_objects() {
    let good = json!({ "access_token": "a", "cache_key": "k", "expires_at": 1, "token_type": "Bearer" });
    let token = Token::from_json(&good.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&token).unwrap(), good);
    assert_eq!(token.expires_at, SystemTime::UNIX_EPOCH + Duration::from_secs(1));
    assert!(!format!("{token:?}").contains("\"a\""), "{token:?}");
    let with = |time: Value| {
        let mut other = good.clone();
        other["expires_at"] = time;
        other.to_string()
    };
    let times = [json!("a-token"), json!(-1), json!(u64::MAX)].map(with);
    for text in ["", "a-token", r#""a-token""#, "[]", "{}"].map(String::from).into_iter().chain(times) {
        let error = Token::from_json(&text).expect_err(&text);
        assert_eq!(error.to_string(), "invalid_input: not a token object: pass what a Token is serialized to");
        assert!(error.source().is_none());
    }
}

#[tokio::test]
async fn what_cannot_be_sent() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]); // not strings
    let request = || Request::new(Method::POST, "/jobs");
    for (request, key) in [(request().json(&keys), "body"), (request().query("a=b"), "query")] {
        let error = call_error(client.send_request(request).await);
        assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some(key)));
    }
    let error = call_error(client.with_timeout(Duration::ZERO).list_jobs().await);
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("timeout")));
    let error = call_error(Client::open(&sandbox.config(), Options::default().timeout(Duration::ZERO)).await);
    assert_eq!((error.code, error.key.as_deref()), (Code::ConfigInvalid, Some("timeout")));
    assert_eq!(sandbox.counts(), (0, 0));
    for timeout in [None, Some(Duration::MAX)] {
        client.with_timeout(timeout).list_jobs().await.unwrap();
    }
}

#[tokio::test]
async fn settings_of_the_http_client() {
    let sandbox = Sandbox::start();
    let mut headers = HeaderMap::new();
    headers.insert("customer_id", "line\u{e9}".parse().unwrap()); // the sandbox would refuse it
    let options = Options::default().http(move |http| http.default_headers(headers.clone()));
    let client = Client::open(&sandbox.config(), options).await.unwrap();
    let jobs: Value = client.list_jobs().await.unwrap().json().unwrap();
    assert_eq!(jobs["customer_id"], sandbox.config().customer_id);
    let config = sandbox.config();
    assert!(!format!("{config:?} {client:?}").contains(config.client_secret.expose()));

    let http = Options::default().http(|http| http.user_agent("line\nbreak"));
    let result = Client::open(&sandbox.config(), http).await;
    let error = result.unwrap_err();
    assert!(error.message.starts_with("the HTTP client cannot be made; check Options::http: "), "{error}");
}

#[test]
fn what_stores_show() {
    let under_a_file = FileStore::new("/dev/null/none").unwrap_err();
    assert!(under_a_file.to_string().contains("/dev/null/none"), "{under_a_file}");
    let store = RedisStore::new(redis::Client::open("redis://user:password@127.0.0.1:1").unwrap());
    assert!(!format!("{store:?}").contains("password"));
}
