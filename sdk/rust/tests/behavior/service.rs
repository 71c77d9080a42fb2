use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rostering::reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::sandbox::{PATIENCE, Sandbox};

struct Service {
    process: Child,
    port: u16,
    http: Client,
}

impl Service {
    async fn start(sandbox: &Sandbox) -> Self {
        // Its client, or reqwest would lack a TLS provider.
        sandbox.client().await.close().await;
        let mut command = Command::new(env!("CARGO_BIN_EXE_service"));
        command.envs(&sandbox.env).env("ROSTERING_WASM", "").env("PORT", "0");
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().expect("the service prints its port");
        Self { process, port, http: Client::builder().no_proxy().timeout(PATIENCE).build().unwrap() }
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(format!("http://127.0.0.1:{}{path}", self.port))
    }

    fn terminate(&self) {
        let status = Command::new("kill").arg(self.process.id().to_string()).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits, with a bound.
async fn until(mut reached: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !reached() {
        assert!(Instant::now() < end, "it does not happen");
        sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn many_requests_and_an_end() {
    let sandbox = Sandbox::start();
    let mut service = Service::start(&sandbox).await;
    let requests: Vec<_> = (0..200).map(|_| tokio::spawn(service.get("/jobs").send())).collect();
    for request in requests {
        let answer = request.await.unwrap().unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "application/json");
        let jobs: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        assert_eq!(jobs["customer_id"], sandbox.config().customer_id);
    }
    assert_eq!(sandbox.counts(), (1, 200));
    assert_eq!(service.get("/other").send().await.unwrap().status(), 404);

    sandbox.fault(&json!({ "server": "jobs", "hold": true }));
    let held = tokio::spawn(service.get("/jobs").send());
    until(|| sandbox.counts().1 == 201).await;
    service.terminate();
    until(|| TcpStream::connect(("127.0.0.1", service.port)).is_err()).await; // it takes no more
    sandbox.clear_faults();
    let answer = timeout(PATIENCE, held).await.unwrap().unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    let mut ended = None;
    until(|| {
        ended = service.process.try_wait().unwrap();
        ended.is_some()
    })
    .await;
    assert!(ended.unwrap().success());
}

#[tokio::test]
async fn failures() {
    let sandbox = Sandbox::start();
    let service = Service::start(&sandbox).await;
    for (status, retry_after, answered) in [(503, "7", 503), (503, "", 503), (400, "", 502)] {
        let headers = if retry_after.is_empty() { json!({}) } else { json!({ "Retry-After": retry_after }) };
        sandbox.fault(&json!({ "server": "jobs", "status": status, "headers": headers }));
        let answer = service.get("/jobs").send().await.unwrap();
        let wait = answer.headers().get("retry-after").map(|value| value.to_str().unwrap());
        let expected = (answered == 503).then_some(if retry_after.is_empty() { "1" } else { retry_after });
        assert_eq!((answer.status().as_u16(), wait), (answered, expected));
    }
}
