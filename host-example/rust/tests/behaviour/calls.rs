use std::time::{Duration, SystemTime};

use rostering::reqwest::{self, ClientBuilder, Method, header};
use rostering::{Body, Client, Code, Config, Id, Ids, Options, Request, Token};
use serde_json::{Value, json};

use crate::errors::call_error;
use crate::service::{JOBS, SECRET, Service};

#[tokio::test]
async fn response() {
    let service = Service::start();
    let client = service.client().await;
    let response = client.list_jobs().await.unwrap();
    assert_eq!((response.status.as_u16(), &response.headers["x-page"]), (200, &"2".parse().unwrap()));
    assert_eq!((response.text().as_ref(), response.body.as_ref()), (JOBS, JOBS.as_bytes()));
    assert_eq!(response.json::<Value>().unwrap(), json!([{ "id": 1 }]));
    let headers = service.last().headers;
    let sent = ["authorization", "customer_id", "user_id"].map(|name| headers[name].as_str());
    assert_eq!(sent, ["Bearer access-token-1", "customer", "user"]);
    client.list_jobs().await.unwrap();
    assert_eq!(service.count(), (1, 2));
}

#[tokio::test]
async fn ids_of_one_call() {
    let service = Service::start();
    let client = service.client().await;
    let ids = Ids { customer_id: Id::Is("c2".into()), user_id: Id::LeftOut };
    client.list_jobs_for(&ids).await.unwrap();
    let headers = service.last().headers;
    assert_eq!((headers["customer_id"].as_str(), headers.get("user_id")), ("c2", None));
}

#[tokio::test]
async fn own_request() {
    let service = Service::start();
    let client = service.client().await;
    let body = vec![0xff; 2 << 20]; // neither text nor small
    let request = Request {
        path: "/jobs/7?full=true".into(),
        method: Method::PUT,
        headers: [("Content-Type".into(), "image/x".into())].into(),
        body: Some(body.clone().into()),
        ..Request::default()
    };
    client.send_request(request).await.unwrap();
    let got = service.last();
    assert_eq!((got.target.as_str(), got.headers["content-type"].as_str()), ("PUT /jobs/7?full=true", "image/x"));
    assert!(got.body == body);

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
        let service = Service::start();
        service.on_jobs(|request| match request.headers["authorization"].as_str() {
            "Bearer access-token-1" => (401, "revoked".into()),
            _ => (201, String::from_utf8_lossy(&request.body).into()),
        });
        let request = Request { method: Method::POST, path: "/jobs".into(), body: Some(body), ..Request::default() };
        let client = service.client().await;
        client.get_token().await.unwrap();
        let result = client.send_request(request).await;
        assert_eq!(service.count(), (2, sent));
        if sent == 2 {
            assert_eq!(result.unwrap().text(), "content");
        } else {
            let error = call_error(result);
            assert_eq!((error.code, error.status), (Code::ServiceUnauthorized, Some(401)));
        }
    }
}

#[tokio::test]
async fn tokens() {
    let service = Service::start();
    let client = service.client().await;
    let token = client.get_token().await.unwrap();
    assert_eq!((token.access_token.expose(), token.token_type.as_str()), ("access-token-1", "Bearer"));
    assert!(token.cache_key.contains("client"), "{token:?}");
    assert!(token.expires_at.duration_since(SystemTime::now()).unwrap() <= Duration::from_hours(1));
    let text = async |token| Result::<Token, _>::unwrap(token).access_token.expose().to_owned();
    assert_eq!(text(client.get_token().await).await, "access-token-1");
    assert_eq!(text(client.get_new_token().await).await, "access-token-2");
    assert_eq!(text(client.replace_token(&token).await).await, "access-token-2");
    assert_eq!(text(client.at(SystemTime::now() + Duration::from_hours(1)).get_token().await).await, "access-token-3");
}

#[tokio::test]
async fn token_of_another_client() {
    let service = Service::start();
    let client = service.client().await;
    let token = client.get_token().await.unwrap();
    let json = serde_json::to_string(&token).unwrap();
    let token = Token::from_json(&json).unwrap();
    assert_eq!(serde_json::to_string(&token).unwrap(), json);

    let second = service.client().await;
    second.set_token(&token).await.unwrap();
    second.list_jobs().await.unwrap();
    assert_eq!(service.count(), (1, 1));
    second.clear_token().await.unwrap();
    second.list_jobs().await.unwrap();
    assert_eq!(service.count(), (2, 2));

    let config = Config { client_id: "other".into(), ..service.config() };
    let other = Client::open(&config, Options::default()).await.unwrap();
    assert_eq!(call_error(other.set_token(&token).await).code, Code::TokenMismatch);
}

#[tokio::test]
async fn settings_of_your_own() {
    let service = Service::start();
    let headers = [(header::USER_AGENT, "mine".parse().unwrap()), (header::AUTHORIZATION, "a".parse().unwrap())];
    let http = ClientBuilder::new().default_headers(headers.into_iter().collect());
    let client = service.client_with(Options { http, max_body: JOBS.len(), ..Options::default() }).await;
    client.list_jobs().await.unwrap();
    let headers = service.last().headers;
    assert_eq!((headers["user-agent"].as_str(), headers["authorization"].as_str()), ("mine", "Bearer access-token-1"));

    service.on_jobs(|_| (200, format!("{JOBS} ")));
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.retryable), (Code::NetworkError, true));
    assert!(error.message.contains("longer than 10 bytes"), "{error}");
}

#[tokio::test]
async fn config() {
    let service = Service::start();
    let config = Config {
        base_url: service.url.replace("127.0.0.1", "0.0.0.0"), // not loopback for the plugin
        environment: None,
        scope: "own".into(),
        refresh_margin: Some(0),
        allow_http: true,
        ..service.config()
    };
    let client = Client::open(&config, Options::default()).await.unwrap();
    client.get_token().await.unwrap();
    assert!(String::from_utf8(service.last().body).unwrap().contains("scope=own"));
    client.list_jobs().await.unwrap();
    assert!(!format!("{config:?} {client:?}").contains(SECRET));
}
