//! The loop that makes a call: the plugin decides, this does the I/O.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant};
use tracing::Instrument;

use crate::http::{Http, reason, report};
use crate::plugin::Plugin;
use crate::step::{For, Op, Step};
use crate::token::unix;
use crate::{Body, CallError, Cause, Code, Error, Response, Store};

const TOKEN_TIMEOUT: Duration = Duration::from_secs(20);
const STORE_TIMEOUT: Duration = Duration::from_secs(1);

/// What the calls of a client share.
pub struct Shared {
    /// Each call has a clone until it ends; `None` if the client is closed.
    pub plugin: Mutex<Option<Plugin>>,
    pub freed: watch::Receiver<()>,
    pub http: Http,
    #[cfg(feature = "middleware")]
    pub base_url: String,
    pub store: Option<Arc<dyn Store>>,
    /// Wakes the calls that wait for a token.
    pub progress: Notify,
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
        let mut step = self.within(deadline, self.advance("begin", self.begin(call, input))).await??;
        loop {
            let (flow, outcome, deadline) = match step {
                Step::Done { output } => return Ok((output, answer)),
                Step::Store { .. } => return Err(Error::Failed("a store step out of place".into())),
                Step::Wait { flow, seconds } => {
                    self.within(deadline, self.wait(seconds)).await?;
                    (flow, json!({}), deadline)
                }
                Step::Request { flow, request, last, .. } => {
                    let payload = body.as_ref().map(Body::next);
                    if let Some(None) = payload {
                        let failed = json!({ "failed": "the body cannot be sent again" });
                        let _ = self.advance("resume", self.resume(flow, failed)).await;
                        return Err(unauthorized());
                    }
                    let sending = self.shared.http.send(For::Service, request, payload.flatten());
                    match self.within(deadline, sending).await? {
                        Ok(got) if last && got.status.is_success() => return Ok((None, Some(got))),
                        Ok(got) => {
                            let outcome = report(For::Service, &got);
                            // An answer is the result even after the deadline, unless a new token may help.
                            let refused = got.status == StatusCode::UNAUTHORIZED;
                            answer = Some(got);
                            (flow, outcome, deadline.filter(|_| refused))
                        }
                        Err(failed) => (flow, json!({ "failed": failed }), None),
                    }
                }
            };
            step = self.within(deadline, self.advance("resume", self.resume(flow, outcome))).await??;
        }
    }

    /// Calls the plugin, and takes the steps that serve other callers, too, in a task that outlives this one.
    async fn advance(&self, export: &'static str, input: Vec<u8>) -> Result<Step, Error> {
        let call = self.clone();
        let section = async move {
            let mut step = call.step(export, input).await?;
            loop {
                let (flow, outcome) = match step {
                    Step::Request { flow, r#for: For::Token, request, .. } => {
                        let sending = call.shared.http.send(For::Token, request, None);
                        let sending = async { sending.await.map(|answer| report(For::Token, &answer)) };
                        (flow, outcome(TOKEN_TIMEOUT, sending).await)
                    }
                    Step::Store { flow, op, key, value, ttl } => {
                        let stored = call.store(op, &key, &value, Duration::from_secs(ttl));
                        let stored = async { stored.await.map_err(|error| reason(&*error)) };
                        (flow, outcome(STORE_TIMEOUT, stored).await)
                    }
                    _ => return Ok(step),
                };
                let resumed = call.step("resume", call.resume(flow, outcome)).await;
                if !matches!(resumed, Ok(Step::Wait { .. } | Step::Store { .. })) {
                    call.shared.progress.notify_waiters();
                }
                step = resumed?;
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

    /// Up to half longer, so that a fleet does not poll in step; shorter when another call has made progress.
    async fn wait(&self, seconds: f64) {
        let most = Duration::try_from_secs_f64(seconds * (1.0 + fastrand::f64() / 2.0));
        let _ = time::timeout(most.unwrap_or_default(), self.shared.progress.notified()).await;
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

/// The outcome of a step, bounded by its own time-out and not by that of the caller who happened to take it.
async fn outcome(timeout: Duration, step: impl Future<Output = Result<Value, String>>) -> Value {
    let result = time::timeout(timeout, step).await.unwrap_or_else(|_| Err(timed_out(timeout)));
    result.unwrap_or_else(|failed| json!({ "failed": failed }))
}

fn timed_out(timeout: Duration) -> String {
    format!("timed out after {timeout:?}")
}

/// The 401 of a request that cannot be repeated with another token.
fn unauthorized() -> Error {
    let message = "the service answered 401, and the body cannot be sent again with a new token: make the call again, \
                   or pass a Body::repeatable";
    let (code, status) = (Code::ServiceUnauthorized, Some(401));
    Box::new(CallError { code, status, message: message.into(), ..CallError::default() }).into()
}
