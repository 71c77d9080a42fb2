//! The clients, and those that call, disturb and close them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use automatic_rostering::reqwest::{self, Method};
use automatic_rostering::reqwest_middleware::{self, ClientBuilder};
use automatic_rostering::{Body, Client, Code, Config, Error, Options, Request, Token, blocking};
use fastrand::Rng;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::checks::{check_no_secret, violation};
use crate::sandbox::Sandbox;
use crate::store::Flaky;
use crate::{GRACE, lock};

const CLIENTS: usize = 4; // the second half of them shares one store
const TASKS: usize = 24;
const THREADS: usize = 4;
const CLOSER: usize = TASKS + THREADS; // the worker that closes

/// How long it may take until a call succeeds after the last fault: the longest backoff is a minute.
const RECOVERY: Duration = Duration::from_mins(3);

const CALLS: [&str; 9] = [
    "list_jobs",
    "view",
    "send_request",
    "middleware",
    "get_token",
    "get_new_token",
    "replace_token",
    "set_token",
    "clear_token",
];

/// The errors that the faults can cause.
const CODES: [Code; 7] = [
    Code::TokenEndpointRejected,
    Code::TokenEndpointUnavailable,
    Code::TokenResponseInvalid,
    Code::TokenMismatch,
    Code::ServiceUnauthorized,
    Code::ServiceError,
    Code::NetworkError,
];

/// A client, and whether it is being closed, which no call knows before.
#[derive(Clone)]
pub struct Slot<C> {
    pub client: C,
    closing: Arc<AtomicBool>,
}

impl<C> Slot<C> {
    pub fn new(client: C) -> Self {
        Self { client, closing: Arc::default() }
    }
}

#[derive(Default)]
pub struct Counts {
    pub calls: AtomicU64,
    pub failed: AtomicU64,
    pub canceled: AtomicU64,
    pub faults: AtomicU64,
    pub closed: AtomicU64,
}

/// What runs between two times at which all clients are closed.
pub struct World {
    sandbox: Arc<Sandbox>,
    config: Config,
    store: Arc<Flaky>,
    slots: [Mutex<Slot<Client>>; CLIENTS],
    pub blocking: Mutex<Slot<blocking::Client>>,
    http: reqwest::Client,
    tokens: Mutex<Vec<Token>>,
    /// What each worker does, for the watchdog.
    pub doing: Mutex<BTreeMap<usize, (String, Instant)>>,
    stop: AtomicBool,
    counts: Arc<Counts>,
}

async fn open(config: &Config, store: &Arc<Flaky>, index: usize) -> Slot<Client> {
    let options = Options::default();
    let options = if index < CLIENTS / 2 { options } else { options.store(store.clone()) };
    Slot::new(Client::open(config, options).await.unwrap_or_else(|error| violation(&format!("a client: {error}"))))
}

fn open_blocking(config: &Config, store: &Arc<Flaky>) -> Slot<blocking::Client> {
    let opened = blocking::Client::open(config, Options::default().store(store.clone()));
    Slot::new(opened.unwrap_or_else(|error| violation(&format!("a blocking client: {error}"))))
}

impl World {
    pub async fn new(sandbox: &Arc<Sandbox>, counts: &Arc<Counts>) -> Arc<Self> {
        let (config, store) = (sandbox.config(), Arc::default());
        let mut slots = Vec::new();
        for index in 0..CLIENTS {
            slots.push(Mutex::new(open(&config, &store, index).await));
        }
        Arc::new(Self {
            sandbox: sandbox.clone(),
            slots: slots.try_into().ok().expect("as many as there are"),
            blocking: Mutex::new(open_blocking(&config, &store)),
            http: reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(10)).build().unwrap(),
            config,
            store,
            tokens: Mutex::default(),
            doing: Mutex::default(),
            stop: AtomicBool::new(false),
            counts: counts.clone(),
        })
    }

    /// Runs all workers for a while.
    pub async fn run(self: &Arc<Self>, mut rng: Rng, length: Duration) {
        let tasks: Vec<_> = (0..TASKS).map(|worker| tokio::spawn(self.clone().task(worker, rng.fork()))).collect();
        let reopening = tokio::spawn(self.clone().reopen(rng.fork()));
        let mut threads: Vec<_> = (TASKS..TASKS + THREADS)
            .map(|worker| {
                let (world, rng) = (self.clone(), rng.fork());
                thread::spawn(move || world.thread(worker, rng))
            })
            .collect();
        let (world, rng) = (self.clone(), rng.fork());
        threads.push(thread::spawn(move || world.disturb(rng)));
        sleep(length).await;
        self.stop.store(true, Relaxed);
        for task in tasks.into_iter().chain([reopening]) {
            task.await.unwrap_or_else(|error| violation(&error.to_string()));
        }
        for thread in threads {
            thread.join().unwrap_or_else(|_| violation("a thread panicked"));
        }
    }

    /// A call fails with an error of the contract that these faults can cause, or because its client is closed.
    fn check(&self, error: &Error, closing: &AtomicBool) {
        self.counts.failed.fetch_add(1, Relaxed);
        check_no_secret(&format!("{error} {error:?}"));
        match error {
            Error::Closed if closing.load(Relaxed) => {}
            Error::Call(error) if CODES.contains(&error.code) => {
                check_no_secret(&serde_json::to_string(error).unwrap());
            }
            _ => violation(&format!("an error that none of the faults causes: {error:?}")),
        }
    }

    fn remember(&self, token: Token) {
        let mut tokens = lock(&self.tokens);
        if tokens.len() == 100 {
            tokens.swap_remove(fastrand::usize(..100));
        }
        tokens.push(token);
    }

    fn begin(&self, worker: usize, what: &str) {
        lock(&self.doing).insert(worker, (what.into(), Instant::now()));
    }

    async fn task(self: Arc<Self>, worker: usize, mut rng: Rng) {
        while !self.stop.load(Relaxed) {
            let slot = lock(rng.choice(&self.slots).unwrap()).clone();
            let limit = if rng.bool() { Duration::from_millis(rng.u64(1..2000)) } else { Duration::from_secs(10) };
            let what = rng.choice(CALLS).unwrap();
            self.begin(worker, what);
            self.counts.calls.fetch_add(1, Relaxed);
            let (client, choices) = (slot.client.with_timeout(limit), rng.fork());
            let call = async {
                if let Err(error) = self.call(what, &client, choices).await {
                    self.check(&error, &slot.closing);
                }
            };
            let canceled = rng.u8(..8) == 0;
            let bound = if canceled { Duration::from_millis(rng.u64(..300)) } else { limit + GRACE };
            match timeout(bound, call).await {
                Err(_) if canceled => drop(self.counts.canceled.fetch_add(1, Relaxed)),
                Err(_) => violation(&format!("{what} with a timeout of {limit:?} has not ended after {bound:?}")),
                Ok(()) => {}
            }
            sleep(Duration::from_millis(rng.u64(..20))).await;
        }
        lock(&self.doing).remove(&worker);
    }

    async fn call(&self, what: &str, client: &Client, mut rng: Rng) -> Result<(), Error> {
        let token = rng.choice(lock(&self.tokens).iter()).cloned();
        match (what, token) {
            ("list_jobs", _) => drop(client.list_jobs().await?),
            ("view", _) => {
                let id = rng.u8(..).to_string();
                client.for_customer(id.as_str()).for_user(rng.bool().then_some(id.as_str())).list_jobs().await?;
            }
            ("send_request", _) => {
                let body = if rng.bool() { Body::from("content") } else { Body::once("content") };
                client.send_request(Request::new(Method::POST, "/jobs").body(body)).await?;
            }
            ("middleware", _) => {
                let api = ClientBuilder::new(self.http.clone()).with(client.middleware().await?).build();
                match api.get(format!("{}/jobs", self.config.base_url)).send().await {
                    Err(reqwest_middleware::Error::Middleware(error)) => Err(error.downcast::<Error>().unwrap())?,
                    result => check_no_secret(&format!("{result:?}")),
                }
            }
            ("set_token", Some(token)) => client.set_token(&token).await?,
            ("clear_token", _) => client.clear_token().await?,
            ("get_new_token", _) => self.remember(client.get_new_token().await?),
            ("replace_token", Some(token)) => self.remember(client.replace_token(&token).await?),
            _ => self.remember(client.get_token().await?),
        }
        Ok(())
    }

    fn thread(&self, worker: usize, mut rng: Rng) {
        while !self.stop.load(Relaxed) {
            let Slot { client, closing } = lock(&self.blocking).clone();
            let client = client.with_timeout(Duration::from_millis(rng.u64(1..2000)));
            self.begin(worker, "a blocking call");
            self.counts.calls.fetch_add(1, Relaxed);
            let result = match rng.u8(..4) {
                0 => client.get_token().map(|token| self.remember(token)),
                1 => client.clear_token(),
                _ => client.list_jobs().map(drop),
            };
            if let Err(error) = result {
                self.check(&error, &closing);
            }
            thread::sleep(Duration::from_millis(rng.u64(..20)));
        }
        lock(&self.doing).remove(&worker);
    }

    /// Closes clients while they are called, and opens others.
    async fn reopen(self: Arc<Self>, mut rng: Rng) {
        while !self.stop.load(Relaxed) {
            sleep(Duration::from_millis(rng.u64(200..1000))).await;
            let limit = Duration::from_millis(rng.u64(..500));
            let index = rng.usize(..=CLIENTS);
            self.begin(CLOSER, "opening and closing");
            self.counts.closed.fetch_add(1, Relaxed);
            if index == CLIENTS {
                let new = open_blocking(&self.config, &self.store);
                let old = std::mem::replace(&mut *lock(&self.blocking), new);
                old.closing.store(true, Relaxed);
                old.client.close_within(limit);
            } else {
                let new = open(&self.config, &self.store, index).await;
                let old = std::mem::replace(&mut *lock(&self.slots[index]), new);
                old.closing.store(true, Relaxed);
                old.client.close_within(limit).await;
            }
        }
        lock(&self.doing).remove(&CLOSER);
    }

    /// Switches faults, revokes tokens, and has the store fail.
    fn disturb(&self, mut rng: Rng) {
        while !self.stop.load(Relaxed) {
            self.counts.faults.fetch_add(1, Relaxed);
            let server = if rng.bool() { "jobs" } else { "auth" };
            match rng.u8(..8) {
                0 => self.sandbox.revoke(),
                1 => self.sandbox.control("lifetime", &json!({ "seconds": rng.u8(2..10) })),
                2 => self.store.fails.store(rng.bool(), Relaxed),
                3 => self.sandbox.fault(&json!({ "server": server, "hold": true })),
                4 => self.sandbox.fault(&json!({ "server": server, "cut_off": true })),
                5 => self.sandbox.clear_faults(),
                6 => self.sandbox.fault(&json!({ "server": server, "delay_ms": rng.u64(1..300) })),
                _ => {
                    let status = rng.choice([200, 302, 400, 401, 403, 429, 500, 503]).unwrap();
                    let description = format!("not {}", self.sandbox.secret());
                    let body = json!({ "error": "invalid_client", "error_description": description }).to_string();
                    let headers = if rng.bool() { json!({ "Retry-After": "1" }) } else { json!({}) };
                    let fault = json!({ "server": server, "status": status, "body": body, "headers": headers });
                    self.sandbox.fault(&fault);
                }
            }
            thread::sleep(Duration::from_millis(rng.u64(20..400)));
        }
        self.sandbox.clear_faults();
        self.sandbox.control("lifetime", &json!({ "seconds": 3600 }));
        self.store.fails.store(false, Relaxed);
    }

    /// Every client makes a call again.
    pub async fn recover(&self) {
        for slot in &self.slots {
            let Slot { client, closing } = lock(slot).clone();
            let end = Instant::now() + RECOVERY;
            while let Err(error) = client.list_jobs().await {
                self.check(&error, &closing);
                if Instant::now() > end {
                    violation(&format!("no call succeeds after the faults: {error}"));
                }
                sleep(Duration::from_millis(200)).await;
            }
        }
    }

    pub async fn close_all(&self) {
        self.begin(CLOSER, "closing all");
        for slot in &self.slots {
            let Slot { client, closing } = lock(slot).clone();
            closing.store(true, Relaxed);
            client.close().await;
        }
        let Slot { client, closing } = lock(&self.blocking).clone();
        closing.store(true, Relaxed);
        client.close();
        lock(&self.doing).remove(&CLOSER);
    }
}
