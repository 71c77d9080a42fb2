//! The types of the API.

use std::error::Error as _;
use std::net::TcpListener;
use std::pin::pin;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};
use std::{env, fs, thread};

use automatic_rostering::reqwest::{self, Certificate, Method, header::HeaderMap};
use automatic_rostering::rustls::crypto::{CryptoProvider, ring};
use automatic_rostering::rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use automatic_rostering::rustls::{ServerConfig, ServerConnection};
use automatic_rostering::{
    Client, Code, Error, FileStore, Options, Reason, RedisStore, Request, Store, Token, block_on, redis,
};
use serde_json::{Value, json};

use crate::config::{CHILD, in_child};
use crate::sandbox::Sandbox;

/// Returns the error of a call.
pub fn call_error<T>(result: Result<T, Error>) -> Error {
    result.map(drop).unwrap_err()
}

/// Chooses a provider for the process, as [`Options::http`] needs one.
pub fn choose_provider() {
    let _ = ring::default_provider().install_default(); // another test may have been first
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
    let refused = (gone, "Connection refused", Reason::Connection);
    for (url, text, reason) in [refused, (no_tls, "corrupt message", Reason::Tls)] {
        let mut config = sandbox.config();
        config.base_url = url;
        let client = Client::open(&config, Options::default()).await.unwrap();
        let error = call_error(client.list_jobs().await);
        assert!(error.message.contains(text) && !error.message.contains("http"), "{error}");
        assert_eq!(error.reason, Some(reason));
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
        assert_eq!(error.to_string(), "invalid_input: not a token object: pass the JSON of a token");
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

/// Without a default provider of rustls, the library has one for itself, which leaves the choice to the program.
#[test]
fn provider_of_the_process() {
    if env::var(CHILD).is_err() {
        return drop(in_child::<&str>("api::provider_of_the_process", []));
    }
    let sandbox = Sandbox::start();
    let open = |options| block_on(Client::open(&sandbox.config(), options));
    block_on(open(Options::default()).unwrap().list_jobs()).unwrap();
    assert!(CryptoProvider::get_default().is_none());
    let error = call_error(open(Options::default().http(|http| http)));
    assert_eq!((error.code, error.key.as_deref()), (Code::ConfigInvalid, Some("http")));
    choose_provider();
    block_on(open(Options::default().http(|http| http)).unwrap().list_jobs()).unwrap();
}

/// A further client needs neither another copy of the plugin nor of the system's certificates.
#[cfg(target_os = "linux")]
#[test]
fn memory_of_a_further_client() {
    if env::var(CHILD).is_err() {
        return drop(in_child::<&str>("api::memory_of_a_further_client", []));
    }
    let sandbox = Sandbox::start();
    let open = |_| block_on(sandbox.client());
    let kilobytes = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap()
    };
    let _first: Vec<_> = (0..10).map(open).collect();
    let before = kilobytes();
    let _more: Vec<_> = (0..50).map(open).collect();
    let each = (kilobytes() - before) / 50;
    assert!(each < 220, "{each} KB");
}

/// The names in a certificate may be anything.
#[tokio::test]
async fn secret_in_a_certificate() {
    choose_provider();
    let (sandbox, folder) = (Sandbox::start(), tempfile::tempdir().unwrap());
    let secret = "secret.in-a-certificate.example";
    let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| folder.path().join(name));
    let mut openssl = Command::new("openssl");
    openssl.args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=x".split(' '));
    openssl.args(["-addext", "basicConstraints=critical,CA:FALSE", "-addext", &format!("subjectAltName=DNS:{secret}")]);
    let made = openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate).output().unwrap();
    assert!(made.status.success(), "{made:?}");

    let own = (CertificateDer::from_pem_file(&certificate).unwrap(), PrivateKeyDer::from_pem_file(&key).unwrap());
    let server = ServerConfig::builder().with_no_client_auth().with_single_cert(vec![own.0], own.1).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = sandbox.config();
    config.auth_url = format!("https://{}", listener.local_addr().unwrap());
    config.client_secret = secret.into();
    thread::spawn(move || {
        let server = Arc::new(server);
        for stream in listener.incoming() {
            let _ = ServerConnection::new(server.clone()).unwrap().complete_io(&mut stream.unwrap());
        }
    });
    let trusted = Certificate::from_pem(&fs::read(&certificate).unwrap()).unwrap();
    let options = Options::default().http(move |http| http.tls_certs_only([trusted.clone()]));
    let client = Client::open(&config, options).await.unwrap();
    let error = call_error(client.get_token().await);
    assert!(error.message.ends_with("set that CA with Options::http") && !error.retryable, "{error}");
    assert_eq!(error.reason, Some(Reason::TlsCertificate));
    let shown = format!("{error} {error:?} {} {:?}", error.source().unwrap(), error.source());
    assert!(!shown.contains("in-a-certificate"), "{shown}");
}

#[test]
fn headers_of_an_error() {
    let error: Error = serde_json::from_value(json!({ "headers": { "a": ["1", "2"], "not a name": ["3"] } })).unwrap();
    assert_eq!(error.headers.get_all("a").iter().collect::<Vec<_>>(), ["1", "2"]);
    assert_eq!(serde_json::to_value(error.full()).unwrap()["headers"], json!({ "a": ["1", "2"] }));
}

/// What prints or serializes an error has neither the headers nor the body of the response, but its full form has.
#[tokio::test]
async fn what_an_error_shows() {
    let sandbox = Sandbox::start();
    let headers = json!({ "Set-Cookie": "canary-cookie" });
    sandbox.fault(&json!({ "server": "jobs", "status": 500, "headers": headers, "body": "canary-body" }));
    let error = call_error(sandbox.client().await.list_jobs().await);
    let log = tempfile::NamedTempFile::new().unwrap();
    let to = Mutex::new(log.reopen().unwrap());
    tracing::subscriber::with_default(tracing_subscriber::fmt().with_writer(to).finish(), || {
        tracing::warn!(?error, "{error} {error:#?} {}", serde_json::to_string(&error).unwrap());
        tracing::warn!(error = &error as &dyn std::error::Error);
    });
    let shown = format!("{}{:?}", fs::read_to_string(log.path()).unwrap(), *error);
    assert!(shown.contains(r#""request":{"method":"GET","path":"/jobs"},"status":500"#), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
    let full = serde_json::to_value(error.full()).unwrap();
    assert_eq!((&full["body"], &full["headers"]["set-cookie"][0]), (&json!("canary-body"), &json!("canary-cookie")));
}

#[tokio::test]
async fn settings_of_the_http_client() {
    choose_provider();
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
    let wrong = "the HTTP client cannot be made; check its settings and user_agent: ";
    assert!(error.code == Code::ConfigInvalid && error.message.starts_with(wrong), "{error}");
}

/// It neither reads a file whose size is no value's, nor deletes another program's.
#[tokio::test]
async fn files_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let others = ["report.tmp.xlsx".into(), "a.tmp.0".into(), format!("{}.tmp.0.gz", "0".repeat(64))];
    let old = format!("{}.tmp.0", "0".repeat(64));
    for name in others.iter().chain([&old]) {
        let file = fs::File::create(folder.path().join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_hours(1)).unwrap();
    }
    let store = FileStore::new(folder.path()).unwrap();
    store.set("key", "value", Duration::from_mins(1)).await.unwrap();
    assert!(others.iter().all(|name| folder.path().join(name).exists()));
    assert!(!folder.path().join(old).exists());
    let hash = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"; // of "key"
    let file = fs::File::options().write(true).open(folder.path().join(hash)).unwrap();
    file.set_len(1 << 40).unwrap();
    let error = store.get("key").await.unwrap_err();
    assert!(error.to_string().contains("too large"), "{error}");
}

#[test]
fn what_stores_show() {
    let under_a_file = FileStore::new("/dev/null/none").unwrap_err();
    assert!(under_a_file.to_string().contains("/dev/null/none"), "{under_a_file}");
    let store = RedisStore::new(redis::Client::open("redis://user:password@127.0.0.1:1").unwrap());
    assert!(!format!("{store:?}").contains("password"));
}
