use std::time::SystemTime;

use automatic_rostering::reqwest::{self, Method, Response};
use automatic_rostering::reqwest_middleware::{self, ClientBuilder, ClientWithMiddleware};
use automatic_rostering::{Client, Code, Error, Options};
use serde_json::json;

use crate::errors::call_error;
use crate::sandbox::{Request, Sandbox};

async fn wrap(client: &Client) -> ClientWithMiddleware {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    ClientBuilder::new(http).with(client.middleware().await.unwrap()).build()
}

async fn start() -> (Sandbox, ClientWithMiddleware) {
    let sandbox = Sandbox::start();
    let api = wrap(&sandbox.client().await).await;
    (sandbox, api)
}

async fn get(api: &ClientWithMiddleware, url: &str) -> Response {
    api.get(url).header("CUSTOMER_ID", "c").header("USER_ID", "u").send().await.unwrap()
}

fn authorization(request: &Request) -> &str {
    request.headers.get("authorization").map_or("", String::as_str)
}

fn job_requests(sandbox: &Sandbox) -> Vec<Request> {
    let requests = sandbox.requests().into_iter();
    requests.filter(|request| request.target.starts_with("/jobs")).collect()
}

#[tokio::test]
async fn adds_the_token_and_recovers() {
    let (sandbox, api) = start().await;
    let jobs = format!("{}/jobs", sandbox.config().base_url);
    assert_eq!(get(&api, &jobs).await.status(), 200);
    sandbox.revoke();
    let calls = [(); 20].map(|()| {
        tokio::spawn({
            let (api, jobs) = (api.clone(), jobs.clone());
            async move { get(&api, &jobs).await.status() }
        })
    });
    for call in calls {
        assert_eq!(call.await.unwrap(), 200);
    }
    assert_eq!(sandbox.counts().0, 2);
}

#[tokio::test]
async fn service_401_without_a_new_token() {
    let (sandbox, api) = start().await;
    let jobs = format!("{}/jobs", sandbox.config().base_url);
    sandbox.fault(&json!({ "server": "jobs", "status": 401, "body": "the service's" }));
    for requests in [2, 1] {
        let before = sandbox.counts().1;
        let response = get(&api, &jobs).await;
        assert_eq!((response.status().as_u16(), response.text().await.unwrap().as_str()), (401, "the service's"));
        assert_eq!(sandbox.counts().1 - before, requests); // within the backoff, there is no second
    }
    sandbox.fault(&json!({ "server": "auth", "status": 503 }));
    let api = wrap(&sandbox.client().await).await;
    let error = api.get(&jobs).send().await.unwrap_err();
    let reqwest_middleware::Error::Middleware(error) = error else { panic!("{error:?}") };
    let Some(Error::Call(error)) = error.downcast_ref() else { panic!("{error:?}") };
    assert_eq!(error.code, Code::TokenEndpointUnavailable);
}

#[tokio::test]
async fn body() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, "content").unwrap();
    let stream = reqwest::Body::from(tokio::fs::File::from_std(file.reopen().unwrap()));
    for (body, sent) in [("content".into(), 2), (stream, 1)] {
        let (sandbox, api) = start().await;
        let jobs = format!("{}/jobs", sandbox.config().base_url);
        sandbox.fault(&json!({ "server": "jobs", "status": 401, "body": "x".repeat(70 << 10), "requests": 1 }));
        let response = api.post(&jobs).body(body).send().await.unwrap();
        let requests = job_requests(&sandbox);
        assert_eq!(requests.iter().map(|request| &*request.body).collect::<Vec<_>>(), vec!["content"; sent]);
        assert_eq!(response.status(), [401, 405][sent - 1]); // without the fault, the sandbox rejects a POST
        assert_eq!(response.bytes().await.unwrap().len() == 70 << 10, sent == 1);
        // The next request has the new token.
        assert_eq!(get(&api, &jobs).await.status(), 200);
        assert_eq!(sandbox.counts().0, 2);
    }
}

#[tokio::test]
async fn other_origins_get_nothing() {
    let ((sandbox, api), other) = (start().await, Sandbox::start());
    let [jobs, others] = [&sandbox, &other].map(|sandbox| format!("{}/jobs", sandbox.config().base_url));
    assert_eq!(get(&api, &others).await.status(), 401);
    for status in [302, 307] {
        let headers = json!({ "Location": others });
        sandbox.fault(&json!({ "server": "jobs", "status": status, "headers": headers, "requests": 1 }));
        let response = get(&api, &jobs).await; // the other's 401 is not the service's
        assert_eq!((response.status().as_u16(), response.url().as_str()), (401, others.as_str()));
    }
    assert_eq!(job_requests(&other).iter().map(authorization).collect::<Vec<_>>(), [""; 3]);
    assert_eq!((sandbox.counts(), other.counts().0), ((1, 2), 0));

    // A redirect within the service keeps the token.
    sandbox.fault(&json!({ "server": "jobs", "status": 302, "headers": { "Location": "/jobs?all" }, "requests": 1 }));
    assert_eq!(get(&api, &jobs).await.status(), 200);
    // The same origin, spelled differently.
    assert_eq!(get(&api, &jobs.replace("http://", "HTTP://")).await.status(), 200);
}

#[tokio::test]
async fn authorization_of_the_caller() {
    let (sandbox, api) = start().await;
    let jobs = format!("{}/jobs", sandbox.config().base_url);
    let response = api.request(Method::GET, &jobs).header("authorization", "Bearer mine").send().await.unwrap();
    assert_eq!((response.status().as_u16(), authorization(&sandbox.last())), (401, "Bearer mine"));
    assert_eq!(sandbox.counts(), (0, 1));
}

#[tokio::test]
async fn base_url_is_needed() {
    let sandbox = Sandbox::start();
    let config = sandbox.config_with(|config| config.base_url.clear());
    let client = Client::open(&config, Options::default()).await.unwrap();
    let error = call_error(client.middleware().await);
    assert_eq!((error.code, error.key.as_deref()), (Code::ConfigMissing, Some("base_url")));
    // A backoff is no error of the config. It does not end, because the time stands still.
    let config = sandbox.config_with(|config| config.client_secret = "not-the-secret".into());
    let client = Client::open(&config, Options::default()).await.unwrap().at(SystemTime::now());
    client.get_token().await.unwrap_err();
    let api = wrap(&client).await;
    let error = api.get(format!("{}/jobs", config.base_url)).send().await.unwrap_err();
    assert!(error.to_string().contains("token_endpoint_rejected"), "{error}");
    assert_eq!(sandbox.counts(), (1, 0));
}
