//! Drives the library for the suite: see tests/adapters/README.md.

use std::any::type_name;
use std::collections::{HashMap, hash_map::Entry};
use std::error::Error as _;
use std::fmt::Display;
use std::future::poll_fn;
use std::iter::successors;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, process};

use automatic_rostering::rustls::crypto::ring;
use automatic_rostering::{Cause, Client, Config, Error, Options, Store, Token, retry, retry_if};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::task::AbortHandle;
use tracing::{Instrument, info_span};

use crate::request::{characters, headers, response, send_own, strings, to_library};

mod log;
mod request;
mod store;

/// The response to a request that succeeded or failed.
type Outcome = Result<Value, Value>;

#[derive(Default)]
struct Adapter {
    clients: Mutex<HashMap<String, Opened>>,
    stores: Mutex<HashMap<String, Arc<dyn Store>>>,
    running: Mutex<HashMap<u64, AbortHandle>>,
}

/// A client, and what its clock shows.
type Opened = (Client, Arc<AtomicI64>);

impl Adapter {
    async fn handle(self: Arc<Self>, fields: Value) -> Outcome {
        for _ in 1..fields["times"].as_u64().unwrap_or(1) {
            let _ = self.run(&fields).await;
        }
        self.run(&fields).await
    }

    async fn run(&self, r: &Value) -> Outcome {
        match text(&r["op"]) {
            "open" => self.open(r).await,
            "store" => store::run(&*self.store(&r["store"])?, r).await.map_err(trap),
            "cancel" => {
                lock(&self.running).get(&r["target"].as_u64().unwrap_or_default()).inspect(|task| task.abort());
                Ok(json!({}))
            }
            "own" if r.get("client").is_none() => send_own(r, None, None).await,
            op => self.call(op, r).await,
        }
    }

    async fn open(&self, r: &Value) -> Outcome {
        let now = Arc::new(AtomicI64::new(r["now"].as_i64().unwrap_or_default()));
        let shown = now.clone();
        let mut options = Options::default().headers(strings(&r["headers"])).clock(move || time(shown.load(Relaxed)));
        if let Some(limit) = r.get("timeout") {
            options = options.timeout(duration(limit)?);
        }
        if let Some(bytes) = r["max_body"].as_i64() {
            options = options.max_body(bytes.try_into().map_err(misuse)?);
        }
        if let Some(name) = r["user_agent"].as_str() {
            options = options.user_agent(name);
        }
        if let Some(file) = r["wasm"].as_str() {
            options = options.wasm(fs::read(file).map_err(trap)?);
        }
        if let Some(store) = r.get("store") {
            options = options.store(self.store(store)?);
        }
        let client = Client::open(&config(r).map_err(failed)?, options).await.map_err(failed)?;
        lock(&self.clients).insert(text(&r["client"]).into(), (client, now));
        Ok(json!({}))
    }

    async fn call(&self, op: &str, r: &Value) -> Outcome {
        let opened = lock(&self.clients).get(text(&r["client"])).cloned();
        let (mut client, now) = opened.ok_or_else(|| trap("there is no such client"))?;
        if let Some(seconds) = r["now"].as_i64() {
            now.store(seconds, Relaxed);
        }
        let limit = duration(&r["timeout"])?;
        if r.get("timeout").is_some() && op != "close" {
            client = client.with_timeout(limit);
        }
        if let Some(id) = r.get("customer_id") {
            client = client.for_customer(id.as_str());
        }
        if let Some(id) = r.get("user_id") {
            client = client.for_user(id.as_str());
        }
        let make = async || {
            match op {
                "list_jobs" => return Ok(response(&client.with_headers(strings(&r["headers"])).list_jobs().await?)),
                "send_request" => return Ok(response(&client.send_request(to_library(r)).await?)),
                "get_token" => return Ok(json!({ "json": get_token(&client, r).await? })),
                "status" => return Ok(json!({ "json": client.status() })),
                "set_token" => client.set_token(&Token::from_json(&r["token"].to_string())?).await?,
                "clear_token" => client.clear_token().await?,
                "set_secret" => client.set_secret(text(&r["secret"])).await?,
                "close" => client.close_within(limit.unwrap_or(Duration::MAX)).await,
                op => panic!("no operation {op}"),
            }
            Ok(json!({}))
        };
        let outcome = match (duration(&r["retry"]["deadline"])?, r["retry"].get("code")) {
            (None, _) if op == "own" => return send_own(r, Some(&client), limit).await,
            (None, _) => make().await,
            (Some(deadline), None) => retry(deadline, make).await,
            (Some(deadline), Some(code)) => retry_if(deadline, |e: &Error| *code == json!(e.code), make).await,
        };
        let mut outcome = outcome.map_err(failed);
        let (Ok(response) | Err(response)) = &mut outcome;
        response["plugin_calls"] = client.plugin_calls().into();
        outcome
    }

    /// Returns the store of this name, or makes it.
    fn store(&self, fields: &Value) -> Result<Arc<dyn Store>, Value> {
        Ok(match lock(&self.stores).entry(text(&fields["name"]).into()) {
            Entry::Occupied(store) => store.get().clone(),
            Entry::Vacant(vacant) => vacant.insert(store::make(fields).map_err(trap)?).clone(),
        })
    }
}

async fn get_token(client: &Client, r: &Value) -> Result<Token, Error> {
    match r["refused"].as_str() {
        Some(refused) => client.replace_token(refused).await,
        None if r["force"] == true => client.get_new_token().await,
        None => client.get_token().await,
    }
}

/// Reads the config from variables, and no others of their kind.
fn config(r: &Value) -> Result<Config, Error> {
    let old = env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("ROSTERING_"));
    // SAFETY: other threads, which tokio has for files and for names of hosts, read the environment only with std.
    unsafe {
        old.for_each(|name| env::remove_var(name));
        strings(&r["variables"]).iter().for_each(|(name, value)| env::set_var(name, value));
    }
    Config::from_env()
}

/// A duration in seconds, or none.
fn duration(seconds: &Value) -> Result<Option<Duration>, Value> {
    seconds.as_f64().map(Duration::try_from_secs_f64).transpose().map_err(misuse)
}

fn time(now: i64) -> SystemTime {
    let distance = Duration::from_secs(now.unsigned_abs());
    if now < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn failed(error: Error) -> Value {
    let causes: Vec<_> =
        successors(error.source(), |&cause| cause.source()).map(|cause| format!("{cause} {cause:?}")).collect();
    json!({
        "text": error.to_string(),
        "shown": format!("{error:?} {error:#?} {}", causes.join(" ")),
        "cause": error.source().map(ToString::to_string),
        "error": serde_json::to_string(error.full()).expect("it is JSON"),
        "headers": headers(&error.headers),
        "status": error.status,
        "body": error.body.as_ref().map(|body| characters(body.as_ref())),
    })
}

/// The error of a conversion that a program has to make before its call.
fn misuse<E: Display>(error: E) -> Value {
    trap(format!("{}: {error}", type_name::<E>()))
}

fn trap(error: impl Display) -> Value {
    json!({ "text": error.to_string() })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[tokio::main(worker_threads = 8)] // some hostile servers keep one busy
async fn main() -> Result<(), Cause> {
    log::start();
    ring::default_provider().install_default().expect("it is the first");
    let adapter = Arc::new(Adapter::default());
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let fields: Value = serde_json::from_str(&line)?;
        let id = fields["id"].as_u64().unwrap_or_default();
        let span = info_span!("request", message = text(&fields["client"]));
        let mut call = Box::pin(adapter.clone().handle(fields).instrument(span));
        // Calls begin in the order of their lines.
        let begun = poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await;
        let task = tokio::spawn(async move { if let Poll::Ready(result) = begun { result } else { call.await } });
        lock(&adapter.running).insert(id, task.abort_handle());
        let adapter = adapter.clone();
        tokio::spawn(async move {
            let mut response = match task.await {
                Ok(Ok(response) | Err(response)) => response,
                Err(end) if end.is_cancelled() => trap("canceled"),
                Err(panic) => trap(panic),
            };
            lock(&adapter.running).remove(&id);
            response["id"] = id.into();
            println!("{response}");
        });
    }
    process::exit(0); // nothing more is expected, also of calls that have not ended
}
