//! A client of `build/sandbox`: an identity provider and a jobs service on loopback, with a control API.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use automatic_rostering::{Client, Config, Environment, Options};
use serde::Deserialize;
use serde_json::Value;
use ureq::{Agent, Body, http::Response};

/// Bounds every wait; not a measure of how long things take.
pub const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
struct Facts {
    control_url: String,
    env: HashMap<String, String>,
}

#[derive(Debug, Deserialize)]
pub struct Request {
    pub method: String,
    pub target: String,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    /// Of a token request.
    #[serde(default)]
    pub form: HashMap<String, String>,
    pub body: String,
    pub length: usize,
}

/// A running sandbox, which ends when this is dropped.
pub struct Sandbox {
    /// The `ROSTERING_*` variables of the examples.
    pub env: HashMap<String, String>,
    control_url: String,
    agent: Agent,
    process: Child,
}

impl Sandbox {
    pub fn start() -> Self {
        let mut process = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/sandbox"))
            .args(["-json", "-until-stdin-closes"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("run make build/sandbox first");
        let mut stdout = BufReader::new(process.stdout.take().unwrap());
        let (sender, line) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            sender.send(stdout.read_line(&mut line).map(|_| line))
        });
        let line = line.recv_timeout(PATIENCE).expect("the sandbox starts").unwrap();
        let Facts { control_url, env } = serde_json::from_str(&line).unwrap();
        let agent = Agent::config_builder().timeout_global(Some(PATIENCE)).proxy(None).build().into();
        Self { env, control_url, agent, process }
    }

    /// Sets the fault of a server, and ends its previous one.
    pub fn fault(&self, fault: &Value) {
        self.control("faults", fault);
    }

    /// Sends a request to the control API, which sandbox/doc.go describes.
    pub fn control(&self, path: &str, request: &Value) {
        self.agent.post(format!("{}/{path}", self.control_url)).send(request.to_string()).unwrap();
    }

    /// Ends all faults, and releases the requests that they hold.
    pub fn clear_faults(&self) {
        self.agent.delete(format!("{}/faults", self.control_url)).call().unwrap();
    }

    /// Makes the jobs service refuse every token that was issued until now.
    pub fn revoke(&self) {
        self.agent.post(format!("{}/revoke", self.control_url)).send_empty().unwrap();
    }

    /// Returns how many requests have arrived: for tokens, and to the jobs service.
    pub fn counts(&self) -> (u64, u64) {
        let counts: Value = read(self.agent.get(format!("{}/counts", self.control_url)).call());
        (counts["token_requests"].as_u64().unwrap(), counts["job_requests"].as_u64().unwrap())
    }

    /// Returns all requests, in order.
    pub fn requests(&self) -> Vec<Request> {
        read(self.agent.get(format!("{}/requests", self.control_url)).call())
    }

    pub fn last(&self) -> Request {
        self.requests().pop().expect("a request has arrived")
    }

    pub fn secret(&self) -> &str {
        &self.env["ROSTERING_CLIENT_SECRET"]
    }

    pub fn config(&self) -> Config {
        let env = |name: &str| self.env[&format!("ROSTERING_{name}")].clone();
        let mut config = Config::default();
        config.environment = Some(Environment::Stage);
        config.auth_url = env("AUTH_URL");
        config.base_url = env("BASE_URL");
        config.client_id = env("CLIENT_ID");
        config.client_secret = self.secret().into();
        config.customer_id = env("CUSTOMER_ID");
        config.user_id = env("USER_ID");
        config
    }

    pub fn config_with(&self, change: impl FnOnce(&mut Config)) -> Config {
        let mut config = self.config();
        change(&mut config);
        config
    }

    pub async fn client(&self) -> Client {
        self.client_with(Options::default()).await
    }

    pub async fn client_with(&self, options: Options) -> Client {
        Client::open(&self.config(), options).await.expect("the plugin loads")
    }
}

/// Waits, with a bound.
pub async fn until(mut reached: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !reached() {
        assert!(Instant::now() < end, "it has not happened in time");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn read<T: for<'de> Deserialize<'de>>(response: Result<Response<Body>, ureq::Error>) -> T {
    serde_json::from_reader(response.unwrap().into_body().into_reader()).unwrap()
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let end = Instant::now() + PATIENCE;
        while self.process.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() > end {
                let _ = self.process.kill();
            }
            sleep(Duration::from_millis(5));
        }
    }
}
