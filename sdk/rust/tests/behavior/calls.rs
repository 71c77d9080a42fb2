use std::time::{Duration, SystemTime};

use rostering::reqwest::header::{HeaderName, HeaderValue};
use rostering::reqwest::{self, ClientBuilder, Method};
use rostering::{Body, Client, Code, Config, Error, Id, Ids, Options, Request, Token};
use serde_json::{Value, json};

use crate::errors::call_error;
use crate::sandbox::Sandbox;

#[tokio::test]
async fn response() {
    let sandbox = Sandbox::start();
    let (client, config) = (sandbox.client().await, sandbox.config());
    let response = client.list_jobs().await.unwrap();
    assert_eq!(response.status, 200);
    assert_eq!(response.headers["content-type"], "application/json");
    assert_eq!(response.text().as_bytes(), response.body);
    assert_eq!(response.json::<Value>().unwrap()["customer_id"], config.customer_id);
    let headers = sandbox.last().headers;
    let sent = ["authorization", "customer_id", "user_id"].map(|name| headers[name].as_str());
    let authorization = format!("Bearer {}", client.get_token().await.unwrap().access_token.expose());
    assert_eq!(sent, [&authorization, &config.customer_id, &config.user_id]);
    client.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (1, 2));
}

#[tokio::test]
async fn ids_of_one_call() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let ids = Ids { customer_id: Id::Is("c2".into()), user_id: Id::LeftOut };
    sandbox.fault(&json!({ "server": "jobs", "status": 200 })); // it would insist on both
    client.list_jobs_for(&ids).await.unwrap();
    let headers = sandbox.last().headers;
    assert_eq!((headers["customer_id"].as_str(), headers.get("user_id")), ("c2", None));
    let ids = Ids { customer_id: Id::Is(String::new()), ..ids };
    let error = call_error(client.list_jobs_for(&ids).await);
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("customer_id")));
}

#[tokio::test]
async fn own_request() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    sandbox.fault(&json!({ "server": "jobs", "status": 201 }));
    let request = Request {
        path: "/jobs/7?full=true".into(),
        method: Method::PUT,
        headers: [("Content-Type".into(), "image/x".into())].into(),
        body: Some(vec![0xff; 1 << 20].into()), // neither text nor small
        ..Request::default()
    };
    assert_eq!(client.send_request(request).await.unwrap().status, 201);
    let got = sandbox.last();
    let head = [&got.method, &got.target, &got.headers["content-type"]];
    assert_eq!((head.map(String::as_str), got.length), (["PUT", "/jobs/7?full=true", "image/x"], 1 << 20));

    let elsewhere = Request { path: "//other.example.com/jobs".into(), ..Request::default() };
    let error = call_error(client.send_request(elsewhere).await);
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("path")));
}

/// The service refuses the first token. Text and a file can be sent again, but not a stream.
#[tokio::test]
async fn body_that_is_sent_again() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "content").unwrap();
    let open = move || {
        let file = std::fs::File::open(file.path()).unwrap();
        reqwest::Body::from(tokio::fs::File::from_std(file))
    };
    let again: [Body; 3] = ["content".into(), String::from("content").into(), Body::repeatable(open)];
    for (body, sent) in again.map(|body| (body, 2)).into_iter().chain([(Body::once("content"), 1)]) {
        let sandbox = Sandbox::start();
        sandbox.fault(&json!({ "server": "jobs", "status": 401, "requests": 1 }));
        let request = Request { method: Method::POST, path: "/jobs".into(), body: Some(body), ..Request::default() };
        let client = sandbox.client().await;
        client.get_token().await.unwrap();
        let error = call_error(client.send_request(request).await);
        let requests = sandbox.requests().into_iter();
        let bodies: Vec<_> = requests.filter(|request| request.target == "/jobs").map(|request| request.body).collect();
        assert_eq!(bodies, vec!["content"; sent]);
        // The sandbox itself has no use for a POST.
        let expected = [(Code::ServiceUnauthorized, Some(401), true), (Code::ServiceError, Some(405), false)];
        assert_eq!((error.code, error.status, error.retryable), expected[sent - 1]);
        // The next call has a new token in both cases.
        client.list_jobs().await.unwrap();
        assert_eq!(sandbox.counts().0, 2);
    }
}

#[tokio::test]
async fn tokens() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let token = client.get_token().await.unwrap();
    assert_eq!(token.token_type, "Bearer");
    assert!(token.cache_key.contains(&sandbox.config().client_id), "{token:?}");
    assert!(token.expires_at.duration_since(SystemTime::now()).unwrap() <= Duration::from_hours(1));
    let text = |result: Result<Token, Error>| result.unwrap().access_token.expose().to_owned();
    assert_eq!(text(client.get_token().await), token.access_token.expose());
    let new = text(client.get_new_token().await);
    assert_ne!(new, token.access_token.expose());
    assert_eq!(text(client.replace_token(&token).await), new);
    assert_ne!(text(client.at(SystemTime::now() + Duration::from_hours(1)).get_token().await), new);
    assert_eq!(sandbox.counts(), (3, 0));
}

#[tokio::test]
async fn token_of_another_client() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let token = client.get_token().await.unwrap();
    let json = serde_json::to_string(&token).unwrap();
    let token = Token::from_json(&json).unwrap();
    assert_eq!(serde_json::to_string(&token).unwrap(), json);

    let second = sandbox.client().await;
    second.set_token(&token).await.unwrap();
    second.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
    second.clear_token().await.unwrap();
    second.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (2, 2));

    let config = Config { client_id: "other".into(), ..sandbox.config() };
    let other = Client::open(&config, Options::default()).await.unwrap();
    assert_eq!(call_error(other.set_token(&token).await).code, Code::TokenMismatch);
}

#[tokio::test]
async fn settings_of_your_own() {
    let sandbox = Sandbox::start();
    let header = |name, value| (HeaderName::from_static(name), HeaderValue::from_static(value));
    let headers = [header("user-agent", "mine"), header("customer_id", "not the plugin's")];
    let http = ClientBuilder::new().default_headers(headers.into_iter().collect());
    let client = sandbox.client_with(Options { http, max_body: 250, ..Options::default() }).await;
    client.list_jobs().await.unwrap();
    let headers = sandbox.last().headers;
    assert_eq!((&headers["user-agent"], &headers["customer_id"]), (&"mine".into(), &sandbox.config().customer_id));

    sandbox.fault(&json!({ "server": "jobs", "status": 200, "body": "x".repeat(251) }));
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
    assert!(error.message.contains("longer than 250 bytes"), "{error}");
}

#[tokio::test]
async fn config() {
    let sandbox = Sandbox::start();
    let config = Config {
        base_url: sandbox.config().base_url.replace("127.0.0.1", "0.0.0.0"), // not loopback for the plugin
        environment: None,
        scope: "automatic-rostering-stage".into(),
        refresh_margin: Some(0),
        allow_http: true,
        ..sandbox.config()
    };
    let client = Client::open(&config, Options::default()).await.unwrap();
    client.get_token().await.unwrap();
    assert_eq!(sandbox.last().form["scope"], config.scope);
    client.list_jobs().await.unwrap();
    assert!(!format!("{config:?} {client:?}").contains(sandbox.secret()));
}
