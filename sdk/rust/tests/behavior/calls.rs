use std::time::{Duration, SystemTime};

use automatic_rostering::reqwest::{self, Method};
use automatic_rostering::{Body, Client, Code, Error, Id, Options, Request, Token};
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
async fn customer_view() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    sandbox.fault(&json!({ "server": "jobs", "status": 200 })); // without the fault, it requires both ids
    let sent = async |client: &Client| {
        client.list_jobs().await.unwrap();
        let listed = sandbox.last().headers;
        client.send_request(Request::new(Method::GET, "/jobs")).await.unwrap();
        let headers = sandbox.last().headers;
        let [listed, headers] =
            [listed, headers].map(|headers| ["customer_id", "user_id"].map(|name| headers.get(name).cloned()));
        assert_eq!(listed, headers);
        headers.map(Option::unwrap_or_default)
    };
    let config = sandbox.config();
    let view = client.for_customer("c2");
    assert_eq!(sent(&view).await, ["c2", &config.user_id]);
    assert_eq!(sent(&view.for_user(None)).await, ["c2", ""]);
    assert_eq!(sent(&view.for_user(String::from("u2")).for_customer(Id::Omit)).await, ["", "u2"]);
    assert_eq!(sent(&view.for_customer(Id::Default)).await, [config.customer_id.as_str(), &config.user_id]);
    assert_eq!(sent(&client).await, [config.customer_id, config.user_id]);
    assert_eq!(sandbox.counts().0, 1);
    for (client, key) in [(client.for_customer(""), "customer_id"), (client.for_user(Some("")), "user_id")] {
        let error = call_error(client.list_jobs().await);
        assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some(key)));
    }
    view.close().await;
    assert!(matches!(client.list_jobs().await, Err(Error::Closed)));
}

#[tokio::test]
async fn own_request() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    sandbox.fault(&json!({ "server": "jobs", "status": 201 }));
    let bytes = vec![0xff; 1 << 20]; // neither UTF-8 nor small
    let request = Request::new(Method::PUT, "/jobs/7?full=true").header("Content-Type", "image/x").body(bytes);
    assert_eq!(client.send_request(request).await.unwrap().status, 201);
    let got = sandbox.last();
    let head = [&got.method, &got.target, &got.headers["content-type"]];
    assert_eq!((head.map(String::as_str), got.length), (["PUT", "/jobs/7?full=true", "image/x"], 1 << 20));

    let elsewhere = Request::new(Method::GET, "//other.example.com/jobs");
    let error = call_error(client.send_request(elsewhere).await);
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("path")));
}

#[tokio::test]
async fn json_body() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    sandbox.fault(&json!({ "server": "jobs", "status": 201 }));
    let request = |value| Request::new(Method::POST, "/jobs").json(&value);
    client.send_request(request(json!({ "title": "grün" }))).await.unwrap();
    let got = sandbox.last();
    assert_eq!((got.body.as_str(), got.headers["content-type"].as_str()), (r#"{"title":"grün"}"#, "application/json"));
    for own in [request(json!(1)).header("content-type", "text/x"), Request::default().header("content-TYPE", "text/x")]
    {
        assert!(!format!("{:?}", own.json(&1)).contains("application/json"));
    }
    let keys = std::collections::BTreeMap::from([((1, 2), 3)]); // not strings
    let error = call_error(client.send_request(Request::new(Method::POST, "/jobs").json(&keys)).await);
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("body")));
}

#[tokio::test]
async fn query_parameters() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    let request = Request::new(Method::GET, "/jobs").query(&[("a", "x y&z"), ("b", "grün")]).query(&[("c", 1)]);
    client.send_request(request.query(&json!({}))).await.unwrap();
    assert_eq!(sandbox.last().target, "/jobs?a=x+y%26z&b=gr%C3%BCn&c=1");
    let error = call_error(client.send_request(Request::new(Method::GET, "/jobs").query("a=b")).await);
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("query")));
}

/// The service refuses the first token. A string and a file can be sent again, but not a stream.
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
        let client = sandbox.client().await;
        client.get_token().await.unwrap();
        let error = call_error(client.send_request(Request::new(Method::POST, "/jobs").body(body)).await);
        let requests = sandbox.requests().into_iter();
        let bodies: Vec<_> = requests.filter(|request| request.target == "/jobs").map(|request| request.body).collect();
        assert_eq!(bodies, vec!["content"; sent]);
        // Without the fault, the sandbox rejects a POST.
        let expected = [(Code::ServiceUnauthorized, Some(401), true), (Code::ServiceError, Some(405), false)];
        assert_eq!((error.code, error.status, error.retryable), expected[sent - 1]);
        // The next call has a new token in both cases.
        client.list_jobs().await.unwrap();
        assert_eq!(sandbox.counts().0, 2);
    }
}

#[tokio::test]
async fn not_modified() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    sandbox.fault(&json!({ "server": "jobs", "status": 304, "headers": { "ETag": "\"7\"" } }));
    for _ in ["with a new token", "with a cached one"] {
        let request = Request::new(Method::GET, "/jobs").header("If-None-Match", "\"7\"");
        let response = client.send_request(request).await.unwrap();
        assert_eq!((response.status.as_u16(), response.headers["etag"].to_str().unwrap()), (304, "\"7\""));
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

/// The client uses its token while it is valid.
#[tokio::test]
async fn rotated_secret() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    client.list_jobs().await.unwrap();
    sandbox.control("rotate", &json!({}));
    client.list_jobs().await.unwrap();
    sandbox.revoke();
    assert_eq!(call_error(client.list_jobs().await).code, Code::TokenEndpointRejected);
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

    let config = sandbox.config_with(|config| config.client_id = "other".into());
    let other = Client::open(&config, Options::default()).await.unwrap();
    assert_eq!(call_error(other.set_token(&token).await).code, Code::TokenMismatch);
}
