//! What the driven form alone can do.

use std::net::TcpListener;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use extism::{Manifest, PluginBuilder, UserData, Wasm};
use rostering::reqwest::blocking::ClientBuilder;
use rostering::reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use rostering::reqwest::redirect::Policy;
use rostering::{Code, Config, Driver, Error, Http, Rostering};
use serde_json::Map;

use crate::errors::call_error;
use crate::form::{Form, open_with};
use crate::service::{
    Answer, JOBS, PATIENCE, SECRET, Service, WASM, answer, answer_with, redirect,
};

const SHORT: Duration = Duration::from_millis(500);

/// Not even with settings that say so.
#[test]
fn redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let (service, other) = (Service::start(), Service::start());
        let location = format!("{}/connect/token", other.url);
        let client =
            open_with(&service.config(), ClientBuilder::new().redirect(Policy::limited(10)));

        let to = location.clone();
        service.on_token(move |_| redirect(status, &to));
        let error = call_error(client.list_jobs());
        assert_eq!((error.code, error.status), (Code::TokenEndpointRejected, Some(status)));

        service.mend();
        client.clear_token().unwrap();
        service.on_jobs(move |_| redirect(status, &location));
        let error = call_error(client.list_jobs());
        assert_eq!((error.code, error.status), (Code::ServiceError, Some(status)));

        assert_eq!(other.connections(), 0, "{status}");
    }
}

#[test]
fn reasons() {
    let service = Service::start();
    let good = service.config();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let no_tls = service.url.replace("http://", "https://");
    let cases = [
        (Config { base_url: gone, ..good.clone() }, "tcp connect error: Connection refused"),
        (Config { base_url: no_tls, ..good.clone() }, "tls handshake"),
    ];
    for (config, reason) in cases {
        let client = Form::Driven.open(&config);
        want_reason(&client, reason);
        assert_eq!(client.get_token().unwrap().token_type, "Bearer");
    }

    let client = Form::Driven.open(&good);
    for (broken, reason) in
        [(Answer::Closed, "closed before message completed"), (Answer::Cut, "end of file")]
    {
        let broken = Mutex::new(Some(broken));
        service.on_jobs(move |_| broken.lock().unwrap().take().unwrap_or(answer(200, JOBS)));
        want_reason(&client, reason);
        assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
    }
}

#[test]
fn answer_that_trickles_in() {
    let service = Service::start();
    let client = Form::Driven.open(&Config { timeout: Some(SHORT), ..service.config() });
    client.set_token(&service.client(Form::Driven).get_token().unwrap()).unwrap();
    service.on_jobs(|_| Answer::Drops);
    want_reason(&client, "no answer within 500ms");
}

/// A call of the stub keeps its turn until it is told to go on.
#[test]
fn waiting_for_a_turn_is_bounded() {
    let stub = r#"(module
        (import "extism:host/user" "wait" (func $wait))
        (func (export "begin") (result i32) (call $wait) unreachable))"#;
    let (arrived, is_there) = mpsc::channel();
    let (go_on, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    let plugin = PluginBuilder::new(Manifest::new([Wasm::data(stub)]))
        .with_function("wait", [], [], UserData::new(()), move |_, _, _, _| {
            arrived.send(())?;
            Ok(wait.lock().unwrap().recv_timeout(PATIENCE)?)
        })
        .build()
        .expect("the stub loads");
    let driver = Driver::new(plugin, Http::new().unwrap(), Some(SHORT));
    thread::scope(|scope| {
        let first = scope.spawn(|| driver.call("list_jobs", Map::new()));
        is_there.recv_timeout(PATIENCE).unwrap();
        let error = call_error(driver.call("list_jobs", Map::new()));
        assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
        assert_eq!(error.message, "no answer within 500ms");
        assert!(!first.is_finished());
        go_on.send(()).unwrap();
        assert!(matches!(first.join().unwrap(), Err(Error::Plugin(_))));
    });
}

#[test]
fn wait_that_the_identity_provider_asks_for() {
    let service = Service::start();
    let client = service.client(Form::Driven);
    service.on_token(|_| answer_with(429, RETRY_AFTER.as_str(), "1234"));
    let error = call_error(client.list_jobs());
    assert_eq!(error.code, Code::TokenEndpointUnavailable);
    assert_eq!(error.retry_after, Some(Duration::from_secs(1234)));
    call_error(client.list_jobs());
    assert_eq!(service.count(), (1, 0));
}

#[test]
fn connection_is_used_again() {
    let service = Service::start();
    let client = service.client(Form::Driven);
    for _ in 0..3 {
        client.list_jobs().unwrap();
    }
    assert_eq!(service.connections(), 1);
}

/// A connection that was kept open, and then closes without an answer, is no reason to repeat.
#[test]
fn request_is_sent_once() {
    let service = Service::start();
    let client = service.client(Form::Driven);
    client.list_jobs().unwrap();
    service.on_jobs(|_| Answer::Closed);
    call_error(client.list_jobs());
    assert_eq!((service.count(), service.connections()), ((1, 2), 1));
}

#[test]
fn settings_of_your_own() {
    let service = Service::start();
    let headers: HeaderMap = [
        (HeaderName::from_static("x-program"), HeaderValue::from_static("mine")),
        (AUTHORIZATION, HeaderValue::from_static("someone else's")),
    ]
    .into_iter()
    .collect();
    let client = open_with(&service.config(), ClientBuilder::new().default_headers(headers));
    client.list_jobs().unwrap();
    let request = service.jobs_request();
    assert_eq!(request.header("x-program"), Some("mine"));
    assert_eq!(request.header("authorization"), Some("Bearer token-1"));
    assert!(!format!("{client:?}").contains("someone else's"));
}

/// Only the config's time-out counts, if there is one.
#[test]
fn timeout_of_the_settings() {
    let service = Service::start();
    let config = Config { timeout: None, ..service.config() };
    let client = open_with(&config, ClientBuilder::new().timeout(Duration::from_nanos(1)));
    assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
}

/// The driver hands the time in.
#[test]
fn plugin_without_a_clock() {
    let service = Service::start();
    let wasm = WASM.replace("rostering.wasm", "rostering-nowasi.wasm");
    let open = || Form::Driven.try_open(&wasm, &service.config()).unwrap();
    let mut token = open().get_token().unwrap();
    let client = open();
    client.set_token(&token).unwrap();
    assert_eq!(client.get_token().unwrap().to_json(), token.to_json());
    assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
    assert_eq!(service.count(), (1, 1));
    token.expires_at = SystemTime::now() - Duration::from_secs(1);
    assert_eq!(call_error(client.set_token(&token)).code, Code::TokenMismatch);
}

#[test]
fn settings_that_cannot_be() {
    let result = Http::build(ClientBuilder::new().user_agent("line\nbreak"));
    assert!(matches!(result, Err(Error::Http(_))), "{result:?}");
}

fn want_reason(client: &Rostering, reason: &str) {
    let error = call_error(client.list_jobs());
    assert_eq!(error.code, Code::NetworkError);
    assert!(error.retryable && error.message.contains(reason), "{error}");
    assert!(!error.message.contains(SECRET) && !error.message.contains("http"), "{error}");
}
