//! Drives the library for the suite: see tests/adapters/README.md.

use std::any::type_name;
use std::collections::{BTreeMap, HashMap, hash_map::Entry};
use std::error::Error as _;
use std::fmt::Display;
use std::future::poll_fn;
use std::iter::successors;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, process};

use automatic_rostering::rustls::crypto::ring;
use automatic_rostering::{Cause, Client, Code, Config, Error, Options, Store, Token, retry, retry_if};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::task::AbortHandle;
use tracing::{Instrument, info_span};

use crate::request::{HTTP, Sent, headers, response};

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
type Opened = (Client, Arc<Mutex<SystemTime>>);

impl Adapter {
    async fn handle(self: Arc<Self>, fields: Value) -> Outcome {
        for _ in 1..fields["times"].as_u64().unwrap_or(1) {
            self.run(&fields).await?;
        }
        self.run(&fields).await
    }

    async fn run(&self, fields: &Value) -> Outcome {
        match text(&fields["op"]) {
            "versions" => Ok(json!({ "versions": versions() })),
            "open" => self.open(fields).await,
            "store" => store::run(&*self.store(&fields["store"])?, fields).await.map_err(trap),
            "cancel" => {
                lock(&self.running).get(&fields["target"].as_u64().unwrap_or_default()).inspect(|task| task.abort());
                Ok(json!({}))
            }
            "own" if fields.get("client").is_none() => sent(fields)?.send_own(None, None).await,
            op => self.call(op, fields).await,
        }
    }

    async fn open(&self, fields: &Value) -> Outcome {
        if fields.get("log").is_some() {
            return Err(trap("a subscriber of tracing that panics ends the task, as each panic does"));
        }
        let mut options = Options::default();
        if let Some(timeout) = timeout(fields)? {
            options = options.timeout(timeout);
        }
        if let Some(bytes) = field(fields, "max_body")? {
            options = options.max_body(bytes);
        }
        if let Some(name) = field::<String>(fields, "user_agent")? {
            options = options.user_agent(name);
        }
        if let Some(headers) = field::<BTreeMap<String, String>>(fields, "headers")? {
            options = options.headers(headers);
        }
        if let Some(file) = field::<PathBuf>(fields, "wasm")? {
            options = options.wasm(fs::read(file).map_err(trap)?);
        }
        if let Some(store) = fields.get("store") {
            options = options.store(self.store(store)?);
        }
        let now = Arc::new(Mutex::new(time(fields)?.unwrap_or(UNIX_EPOCH)));
        if fields["clock"] == true {
            let now = now.clone();
            options = options.clock(move || *lock(&now));
        }
        let config = field(fields, "variables")?.map_or_else(|| config(fields), from_env)?;
        let client = Client::open(&config, options).await.map_err(failed)?;
        LazyLock::force(&HTTP); // makes it now, so that its first request is not late
        lock(&self.clients).insert(text(&fields["client"]).into(), (client, now));
        Ok(json!({}))
    }

    async fn call(&self, op: &str, fields: &Value) -> Outcome {
        let opened = lock(&self.clients).get(text(&fields["client"])).cloned();
        let (mut client, now) = opened.ok_or_else(|| trap("there is no such client"))?;
        if let Some(time) = time(fields)? {
            *lock(&now) = time;
        }
        let limit = timeout(fields)?;
        if let Some(limit) = limit.filter(|_| op != "close") {
            client = client.with_timeout(limit);
        }
        if let Some(id) = field::<Option<String>>(fields, "customer_id")? {
            client = client.for_customer(id.as_deref());
        }
        if let Some(id) = field::<Option<String>>(fields, "user_id")? {
            client = client.for_user(id.as_deref());
        }
        let sent = sent(fields)?;
        let make = async || {
            match op {
                "list_jobs" => return Ok(response(&client.with_headers(sent.headers.clone()).list_jobs().await?)),
                "send_request" => return Ok(response(&client.send_request(sent.to_library()).await?)),
                "get_token" => return Ok(json!({ "token": get_token(&client, fields).await? })),
                "set_token" => client.set_token(&Token::from_json(&fields["token"].to_string())?).await?,
                "clear_token" => client.clear_token().await?,
                _ => client.set_secret(text(&fields["secret"])).await?,
            }
            Ok(json!({}))
        };
        let codes: Option<Vec<Code>> = field(&fields["retry"], "codes")?;
        let is_wanted = |error: &Error| codes.as_ref().is_some_and(|codes| codes.contains(&error.code));
        match (op, field::<f64>(&fields["retry"], "deadline")?) {
            ("own", _) => return sent.send_own(Some(&client), limit.flatten()).await,
            ("close", _) => client.close_within(limit.flatten().unwrap_or(Duration::MAX)).await,
            ("status", _) => return Ok(json!({ "known": client.status() })),
            (_, Some(deadline)) if codes.is_some() => {
                return retry_if(seconds(deadline)?, is_wanted, make).await.map_err(failed);
            }
            (_, Some(deadline)) => return retry(seconds(deadline)?, make).await.map_err(failed),
            ("list_jobs" | "send_request" | "get_token" | "set_token" | "clear_token" | "set_secret", _) => {
                return make().await.map_err(failed);
            }
            _ => return Err(trap(format!("no operation {op}"))),
        }
        Ok(json!({}))
    }

    /// Returns the store of this name, or makes it.
    fn store(&self, fields: &Value) -> Result<Arc<dyn Store>, Value> {
        Ok(match lock(&self.stores).entry(text(&fields["name"]).into()) {
            Entry::Occupied(store) => store.get().clone(),
            Entry::Vacant(vacant) => vacant.insert(store::make(fields).map_err(trap)?).clone(),
        })
    }
}

async fn get_token(client: &Client, fields: &Value) -> Result<Token, Error> {
    match &fields["refused"] {
        Value::Null if fields["force"] == true => client.get_new_token().await,
        Value::Null => client.get_token().await,
        refused => client.replace_token(text(refused)).await,
    }
}

fn sent(fields: &Value) -> Result<Sent, Value> {
    Ok(field(fields, "request")?.unwrap_or_default())
}

/// Reads a config by the names of its fields.
fn config(fields: &Value) -> Result<Config, Value> {
    let mut config = Config::default();
    for (key, value) in field::<BTreeMap<String, String>>(fields, "config")?.unwrap_or_default() {
        config.set(&key, &value).map_err(failed)?;
    }
    Ok(config)
}

/// Reads a config from these variables, and no others of their kind.
fn from_env(variables: BTreeMap<String, String>) -> Result<Config, Value> {
    let old = env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("ROSTERING_"));
    // SAFETY: other threads, which tokio has for files and for names of hosts, read the environment only with std.
    unsafe {
        old.for_each(|name| env::remove_var(name));
        variables.iter().for_each(|(name, value)| env::set_var(name, value));
    }
    Config::from_env().map_err(failed)
}

/// Reads a field, if it is there. Null is not the same as nothing if its type is an option.
fn field<T: DeserializeOwned>(fields: &Value, name: &str) -> Result<Option<T>, Value> {
    fields.get(name).map(T::deserialize).transpose().map_err(misuse)
}

/// The limit, which may be none, if it is there.
fn timeout(fields: &Value) -> Result<Option<Option<Duration>>, Value> {
    field::<Option<f64>>(fields, "timeout")?.map(|limit| limit.map(seconds).transpose()).transpose()
}

fn seconds(number: f64) -> Result<Duration, Value> {
    Duration::try_from_secs_f64(number).map_err(misuse)
}

fn time(fields: &Value) -> Result<Option<SystemTime>, Value> {
    let Some(now) = field::<i64>(fields, "now")? else { return Ok(None) };
    let distance = Duration::from_secs(now.unsigned_abs());
    let time = if now < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
    time.map(Some).ok_or_else(|| misuse("the time is out of range"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn failed(error: Error) -> Value {
    let causes: Vec<_> =
        successors(error.source(), |&cause| cause.source()).map(|cause| format!("{cause} {cause:?}")).collect();
    let shown = format!("{error:?} {error:#?} {}", causes.join(" "));
    let mut response = json!({ "text": error.to_string(), "shown": shown });
    response["cause"] = json!(error.source().map(ToString::to_string));
    response["error"] = serde_json::to_string(&error).expect("it is JSON").into();
    response["headers"] = json!(headers(&error.headers));
    response["status"] = json!(error.status);
    response["body"] = json!(error.body.as_ref().map(|body| BASE64_STANDARD.encode(body)));
    response["closed"] = (error.code == Code::Closed).into();
    response
}

/// The error of a conversion that a program has to make before its call.
fn misuse<E: Display>(error: E) -> Value {
    json!({ "misuse": format!("{}: {error}", type_name::<E>()) })
}

fn trap(error: impl Display) -> Value {
    json!({ "trap": error.to_string() })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lock file is the package's: see sdk/rust/tasks.sh.
fn versions() -> String {
    let version = |name: &str| {
        let rest = include_str!("../Cargo.lock").split_once(&format!("name = \"{name}\"\nversion = \""))?.1;
        Some(format!(", {name} {}", rest.split('"').next()?))
    };
    let versions = [version("wasmi"), version("reqwest")].into_iter().flatten();
    concat!("Rust ", env!("RUST_VERSION")).to_owned() + &versions.collect::<String>()
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
                Err(end) if end.is_cancelled() => json!({ "canceled": true }),
                Err(panic) => trap(panic),
            };
            lock(&adapter.running).remove(&id);
            response["id"] = id.into();
            println!("{response}");
        });
    }
    process::exit(0); // nothing more is expected, also of calls that have not ended
}
