//! What a client and its views share.

use std::collections::HashMap;
use std::future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time;

use crate::config::Clock;
use crate::error::TimedOut;
use crate::holder::Holder;
use crate::http::Http;
use crate::plugin::Plugin;
use crate::status::Counts;
use crate::token::unix;
use crate::{Cause, Code, Config, Error, Options, Reason, Status, Store, lock, runtime};

/// How long writing to the store takes at most: each operation has a second.
const WRITES: Duration = Duration::from_secs(2);

pub struct Shared {
    pub plugin: Plugin,
    pub http: Http,
    pub store: Option<Arc<dyn Store>>,
    pub clock: Clock,
    pub holder: Mutex<Holder>,
    /// Runs token requests.
    pub runtime: Handle,
    /// The process that opened the client.
    process: u32,
    /// Whether a call waits for the flow that runs before it returns: AWS Lambda freezes a process after each call. A flow
    /// that continued would keep its lock in the store, and lose the response to its token request.
    pub settles: bool,
    /// The plugin's requests, by their inputs.
    pub requests: Mutex<HashMap<String, Arc<reqwest::Request>>>,
    pub counts: Counts,
    /// Each call has a receiver until it ends.
    calls: watch::Sender<Phase>,
}

/// Whether calls may begin, and those in progress continue.
#[derive(Clone, Copy, PartialEq)]
pub enum Phase {
    Open,
    Closing,
    Closed,
}

/// A call in progress, until this is dropped: closing waits for it.
type InProgress = watch::Receiver<Phase>;

impl Shared {
    pub fn open(config: &Config, options: Options) -> Result<Self, Error> {
        let runtime = options.runtime.clone().map_or_else(runtime::own, Ok)?;
        let http = Http::new(&options)?;
        http.prepare(&config.base_url)?;
        let own = runtime.enter();
        http.prepare(&config.auth_url)?;
        drop(own);
        Ok(Self {
            plugin: Plugin::open(&options, &config.keys())?,
            http,
            store: options.store,
            clock: options.clock,
            holder: Mutex::default(),
            runtime,
            process: process::id(),
            settles: std::env::var_os("AWS_LAMBDA_FUNCTION_NAME").is_some_and(|name| !name.is_empty()),
            requests: Mutex::default(),
            counts: Counts::default(),
            calls: watch::Sender::new(Phase::Open),
        })
    }

    /// The time in Unix seconds.
    pub fn now(&self) -> u64 {
        unix((self.clock)())
    }

    /// Begins a call.
    pub fn begin(&self) -> Result<InProgress, Error> {
        if !self.is_here() {
            return Err(Error::new(Code::Closed, "this client was opened before fork: open another one in the child"));
        }
        let call = self.calls.subscribe();
        if *call.borrow() == Phase::Open { Ok(call) } else { Err(Error::closed()) }
    }

    /// Makes a call.
    pub async fn run<T>(
        self: &Arc<Self>,
        timeout: Option<Duration>,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let (mut begun, mut result) = (false, None);
        let whole = async {
            begun = true;
            self.counts.calls.fetch_add(1, Ordering::Relaxed);
            result = Some(call.await);
            self.settle().await;
            Ok(())
        };
        let ended = self.bounded(timeout, whole).await;
        let result = result.unwrap_or_else(|| ended.and(Err(Error::closed())));
        if let Err(error) = &result
            && begun
            && error.code != Code::Closed
        {
            *lock(&self.counts.failed_calls).entry(error.code).or_default() += 1;
        }
        result
    }

    /// Returns the plugin's status with that of the calls.
    pub fn status(&self) -> Status {
        // One lock after the other: a flow holds the plugin's while it takes the holder's.
        let mut status = self.plugin.status(self.now());
        status.renewing = lock(&self.holder).is_busy();
        status.failed_calls.clone_from(&lock(&self.counts.failed_calls));
        status.calls = self.counts.calls.load(Ordering::Relaxed);
        status.service_requests = self.counts.service_requests.load(Ordering::Relaxed);
        status
    }

    /// Ends what a call does after the timeout, and when the client closes.
    pub async fn bounded<T>(
        &self,
        timeout: Option<Duration>,
        future: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        in_runtime()?;
        if timeout.is_some_and(|timeout| timeout.is_zero()) {
            let message = "the timeout is 0: use None for an unlimited call";
            return Err(Error::about(Code::InvalidInput, "timeout", message));
        }
        let mut call = self.begin()?;
        tokio::select! {
            biased; // a response that has arrived is the result
            result = future => result,
            _ = call.wait_for(|&phase| phase == Phase::Closed) => Err(Error::closed()),
            () = self.sleep(timeout) => {
                let message = format!("{}: call again, or raise the timeout", TimedOut(timeout.unwrap_or_default()));
                let mut error = Error::new(Code::NetworkError, message);
                (error.retryable, error.reason) = (true, Some(Reason::Timeout));
                Err(error)
            }
        }
    }

    /// Waits in real time, also if a test has paused the time of the caller's runtime, which then runs ahead. `None` is forever.
    async fn sleep(&self, limit: Option<Duration>) {
        let Some(end) = limit.and_then(|limit| Instant::now().checked_add(limit)) else {
            return future::pending().await;
        };
        time::sleep_until(end.into()).await;
        if let Some(rest) = end.checked_duration_since(Instant::now()) {
            let mut timer = JoinSet::new(); // which ends it when this is dropped
            timer.spawn_on(async move { time::sleep(rest).await }, &self.runtime);
            timer.join_next().await;
        }
    }

    /// Awaits something, but no longer than this.
    pub async fn wait(&self, limit: Duration, event: impl Future) {
        tokio::select! {
            _ = event => {}
            () = self.sleep(Some(limit)) => {}
        }
    }

    /// Calls `set_token` or `clear_token`, and drops what is kept.
    pub fn change(&self, export: &str, input: &Value) -> Result<(), Error> {
        let _call = self.begin()?;
        self.plugin.apply(export, input, |output| output.map(|_| lock(&self.holder).forget(export == "set_token")))
    }

    /// Waits for the calls in progress, but no longer than this, and ends the rest.
    pub async fn close(&self, limit: Duration) {
        self.calls.send_replace(Phase::Closing);
        self.wait(limit, self.calls.closed()).await;
        self.wait(WRITES, self.written()).await;
        self.end();
    }

    /// Returns whether the client was opened in this process, and not before a fork, after which its locks may stay held.
    pub fn is_here(&self) -> bool {
        self.process == process::id()
    }

    /// Ends what is in progress, and frees the plugin and the connections.
    pub fn end(&self) {
        self.calls.send_replace(Phase::Closed);
        // A clock that panics must not end a program whose client is dropped.
        let now = catch_unwind(AssertUnwindSafe(|| self.now()));
        self.plugin.close(now.unwrap_or_default());
        lock(&self.holder).abandon();
        self.http.close();
    }
}

/// Fails where tokio would panic.
pub fn in_runtime() -> Result<(), Error> {
    let message = "not in a tokio runtime: call this from one, or use automatic_rostering::block_on";
    Handle::try_current().map(drop).map_err(|_| Error::new(Code::PluginFailed, message))
}

/// Bounds what a step does by its own timeout.
pub async fn within<T>(timeout: Duration, step: impl Future<Output = Result<T, Cause>>) -> Result<T, Cause> {
    time::timeout(timeout, step).await.unwrap_or_else(|_| Err(TimedOut(timeout).into()))
}
