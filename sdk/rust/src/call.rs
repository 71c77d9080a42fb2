//! The loop that makes a call: the plugin decides, this does the I/O.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::futures::OwnedNotified;
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant};
use tracing::Instrument;

use crate::http::{Http, reason, report};
use crate::plugin::Plugin;
use crate::step::{Op, Step, To, WaitFor};
use crate::token::unix;
use crate::{Body, CallError, Cause, Code, Error, Response, Store};

/// What the calls of a client share.
pub struct Shared {
    /// Each call has a clone until it ends; `None` if the client is closed.
    pub plugin: Mutex<Option<Plugin>>,
    pub freed: watch::Receiver<()>,
    pub http: Http,
    #[cfg(feature = "middleware")]
    pub base_url: String,
    pub store: Option<Arc<dyn Store>>,
    /// Wakes the calls that wait for another call.
    pub progress: Arc<Notify>,
}

/// The time passed to the plugin: the system's, or the caller's, if it has set one.
#[derive(Clone)]
pub enum Now {
    Clock,
    Given(Option<Value>),
}

impl Now {
    /// Adds it to an input.
    pub fn add(&self, mut input: Value) -> Vec<u8> {
        match self {
            Self::Clock => input["now"] = unix(SystemTime::now()).into(),
            Self::Given(Some(now)) => input["now"] = now.clone(),
            Self::Given(None) => {}
        }
        input.to_string().into_bytes()
    }
}

/// One call.
#[derive(Clone)]
pub struct Call {
    pub shared: Arc<Shared>,
    pub plugin: Plugin,
    pub now: Now,
    pub timeout: Option<Duration>,
}

/// The result of a call: a token object, or an answer of the service.
pub type Finished = (Option<Value>, Option<Response>);

impl Call {
    /// Makes the call. The input is JSON, with the time in it.
    pub async fn run(self, call: &str, input: &[u8], body: Option<Body>) -> Result<Finished, Error> {
        Handle::try_current().map_err(|_| Error::NoRuntime)?; // tokio would panic
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut answer = None;
        let (mut step, mut woken) = self.within(deadline, self.advance("begin", self.begin(call, input))).await??;
        loop {
            let (flow, outcome, deadline) = match step {
                Step::Done { output } => return Ok((output, answer)),
                Step::Wait { flow, r#for, seconds } => {
                    self.within(deadline, wait(&r#for, seconds, woken)).await?;
                    (flow, json!({}), deadline)
                }
                Step::Request { flow, to, request } => {
                    let sending = async {
                        let body = body.as_ref().map(Body::next).transpose()?;
                        self.shared.http.send(&to, request, body).await
                    };
                    match self.within(deadline, sending).await? {
                        Ok(got) if got.status.is_success() && matches!(to, To::Service { last: true }) => {
                            return Ok((None, Some(got)));
                        }
                        Ok(got) => {
                            let mut outcome = report(&to, &got);
                            let refused = got.status == StatusCode::UNAUTHORIZED;
                            if refused && body.as_ref().is_some_and(|body| !body.is_repeatable()) {
                                outcome["repeatable"] = false.into();
                            }
                            answer = Some(got);
                            // An answer is the result even after the deadline, unless a new token may help.
                            (flow, outcome, deadline.filter(|_| refused))
                        }
                        Err(failed) => (flow, json!({ "failed": failed }), None),
                    }
                }
                Step::Store { .. } => return Err(Error::Failed("a store step out of place".into())),
            };
            (step, woken) = self.within(deadline, self.advance("resume", self.resume(flow, outcome))).await??;
        }
    }

    /// Calls the plugin, and carries out the steps that serve other callers, too, in a task that outlives this one.
    /// Also returns what wakes a wait for another call.
    async fn advance(&self, mut export: &'static str, mut input: Vec<u8>) -> Result<(Step, OwnedNotified), Error> {
        let call = self.clone();
        let section = async move {
            let mut made = false; // a token request, or a store step
            loop {
                // Before the plugin looks: a call that ends between its look and the wait wakes this one, too.
                let woken = call.shared.progress.clone().notified_owned();
                let (flow, outcome) = match call.step(export, input).await {
                    Ok(Step::Request { flow, to: to @ To::Token { timeout, .. }, request }) => {
                        let sending = call.shared.http.send(&to, request, None);
                        let sending = async { sending.await.map(|answer| report(&to, &answer)) };
                        (flow, outcome(timeout, sending).await)
                    }
                    Ok(Step::Store { flow, timeout, op, key, value, ttl }) => {
                        let stored = call.store(op, &key, &value, ttl);
                        let stored = async { stored.await.map_err(|error| reason(&*error)) };
                        (flow, outcome(timeout, stored).await)
                    }
                    step => {
                        if made && !matches!(step, Ok(Step::Wait { .. })) {
                            call.shared.progress.notify_waiters();
                        }
                        return step.map(|step| (step, woken));
                    }
                };
                (export, input, made) = ("resume", call.resume(flow, outcome), true);
            }
        };
        tokio::spawn(section.in_current_span()).await.map_err(|error| Error::Failed(error.into()))?
    }

    async fn step(&self, export: &str, input: Vec<u8>) -> Result<Step, Error> {
        let output = self.plugin.call(export, input).await?;
        serde_json::from_slice(&output).map_err(|_| Error::Failed("the plugin returned an unknown step".into()))
    }

    /// The input of `begin`; what is not JSON is the plugin's to refuse.
    fn begin(&self, call: &str, input: &[u8]) -> Vec<u8> {
        let store = if self.shared.store.is_some() { r#","store""# } else { "" };
        let begin = format!(r#"{{"call":"{call}","accepts":["wait"{store}],"input":"#);
        let input = if input.trim_ascii().is_empty() { b"{}" } else { input };
        [begin.as_bytes(), input, b"}"].concat()
    }

    fn resume(&self, flow: Value, mut outcome: Value) -> Vec<u8> {
        outcome["flow"] = flow;
        self.now.add(outcome)
    }

    async fn store(&self, op: Op, key: &str, value: &str, ttl: Duration) -> Result<Value, Cause> {
        let store = self.shared.store.as_ref().ok_or("the client has no store")?;
        Ok(match op {
            Op::Get => json!({ "value": store.get(key).await? }),
            Op::Add => json!({ "added": store.add(key, value, ttl).await? }),
            Op::Set => store.set(key, value, ttl).await.map(|()| json!({}))?,
        })
    }

    async fn within<T>(&self, deadline: Option<Instant>, future: impl Future<Output = T>) -> Result<T, Error> {
        let Some(deadline) = deadline else { return Ok(future.await) };
        time::timeout_at(deadline, future).await.map_err(|_| {
            let message = timed_out(self.timeout.unwrap_or_default());
            let code = Code::NetworkError;
            Box::new(CallError { code, message, retryable: true, ..CallError::default() }).into()
        })
    }
}

/// Waits for another call until it wakes this one; for the store up to half longer, so that a fleet does not look in step.
async fn wait(r#for: &WaitFor, seconds: Duration, woken: OwnedNotified) {
    match r#for {
        WaitFor::Call => drop(time::timeout(seconds, woken).await),
        WaitFor::Store => time::sleep(seconds.mul_f64(1.0 + fastrand::f64() / 2.0)).await,
    }
}

/// The outcome of a step, bounded by its own time-out and not by that of the caller who happened to make it.
async fn outcome(timeout: Duration, step: impl Future<Output = Result<Value, String>>) -> Value {
    let result = time::timeout(timeout, step).await.unwrap_or_else(|_| Err(timed_out(timeout)));
    result.unwrap_or_else(|failed| json!({ "failed": failed }))
}

fn timed_out(timeout: Duration) -> String {
    format!("timed out after {timeout:?}")
}
