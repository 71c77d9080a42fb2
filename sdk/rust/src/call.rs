//! The loop that makes a call: the plugin decides, this does the I/O.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::futures::OwnedNotified;
use tokio::sync::{Notify, watch};
use tokio::time::{self, Instant};
use tracing::Instrument;

use crate::config::Clock;
use crate::error::reason;
use crate::http::{Http, is_result, report};
use crate::plugin::{Plugin, decode};
use crate::step::{Op, Step, To, WaitFor};
use crate::store::SharedStore;
use crate::token::unix;
use crate::{Body, CallError, Cause, Code, Error, Response, Store, lock};

/// What the calls of a client share.
pub struct Shared {
    pub plugin: Plugin,
    pub http: Http,
    #[cfg(feature = "middleware")]
    pub base_url: String,
    pub store: Option<SharedStore>,
    pub clock: Clock,
    /// Wakes the calls that wait for another call.
    pub progress: Arc<Notify>,
    /// Each call has a clone until it ends; `None` if the client is closed.
    pub running: Mutex<Option<watch::Sender<()>>>,
    /// Fails when the client is closed and the last call has ended.
    pub ended: watch::Receiver<()>,
    /// Ends what is still under way.
    pub cancel: watch::Sender<bool>,
}

impl Shared {
    /// Begins a call, for whose end closing waits: until what this returns is dropped.
    pub fn begin(&self) -> Result<watch::Sender<()>, Error> {
        lock(&self.running).clone().ok_or(Error::Closed)
    }

    /// The time in Unix seconds.
    pub fn now(&self) -> u64 {
        unix((self.clock)())
    }

    /// Calls an export that may change the plugin's state, with the time in its input.
    pub fn call(&self, export: &str, mut input: Value) -> Result<Vec<u8>, Error> {
        input["now"] = self.now().into();
        self.plugin.call(export, input.to_string().as_bytes())
    }

    /// Ends with [`Error::Closed`] when what is still under way is canceled.
    async fn until_canceled<T>(&self, future: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let mut cancel = self.cancel.subscribe();
        let (mut future, mut canceled) = (pin!(future), pin!(cancel.wait_for(|&canceled| canceled)));
        poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(result) => Poll::Ready(result),
            Poll::Pending => canceled.as_mut().poll(context).map(|_| Err(Error::Closed)),
        })
        .await
    }
}

/// One call.
#[derive(Clone)]
pub struct Call {
    pub shared: Arc<Shared>,
    pub timeout: Option<Duration>,
    /// Whether it renews the token in the background.
    pub renews: bool,
}

/// A step, and what wakes it if it waits for another call. The latter is created before the plugin decides: so it also
/// notices a call that ends between the decision and the wait.
type Next = (Arc<Step>, OwnedNotified);

/// The result of a call: a token object, or a response of the service.
pub type Finished = (Option<Value>, Option<Response>);

impl Call {
    /// Makes the call.
    pub async fn run(self, call: &str, input: Value, body: Option<Body>) -> Result<Finished, Error> {
        Handle::try_current().map_err(|_| Error::NoRuntime)?; // tokio would panic
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(
                CallError::new(Code::InvalidInput, "the timeout is 0: use None for an unlimited call").about("timeout")
            );
        }
        let _running = self.shared.begin()?;
        self.shared.until_canceled(self.steps(call, input, body)).await
    }

    async fn steps(&self, call: &str, input: Value, body: Option<Body>) -> Result<Finished, Error> {
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let (mut got, mut cause) = (None, None);
        let (mut step, mut woken) = self.within(deadline, self.begin(call, input)).await??;
        loop {
            let (flow, outcome, deadline) = match &*step {
                Step::Done { output } => return Ok((output.clone(), got)),
                Step::Wait { flow, r#for, seconds } => {
                    self.within(deadline, wait(r#for, *seconds, woken)).await?;
                    (flow, json!({}), deadline)
                }
                Step::Request { flow, to, request } => {
                    let sending = async {
                        let body = body.as_ref().map(Body::next).transpose()?;
                        self.shared.http.send(to, request, body).await
                    };
                    match self.within(deadline, sending).await? {
                        Ok(response) if is_result(response.status) && matches!(to, To::Service { last: true }) => {
                            return Ok((None, Some(response)));
                        }
                        Ok(response) => {
                            let mut outcome = report(to, &response);
                            let refused = response.status == StatusCode::UNAUTHORIZED;
                            if refused && body.as_ref().is_some_and(|body| !body.is_repeatable()) {
                                outcome["repeatable"] = false.into();
                            }
                            got = Some(response);
                            // A response is the result even after the deadline, unless a new token may help.
                            (flow, outcome, deadline.filter(|_| refused))
                        }
                        Err(lost) => {
                            let lost = match lost.downcast::<CallError>() {
                                Ok(too_large) => return Err(Error::Call(too_large)),
                                Err(lost) => lost,
                            };
                            let failed = reason(&*lost);
                            cause = Some(lost);
                            (flow, json!({ "failed": failed }), None)
                        }
                    }
                }
                Step::Store { .. } => return Err(Error::Failed("a store step out of place".into())),
            };
            let next = self.within(deadline, self.resume(flow, outcome)).await?;
            (step, woken) = next.map_err(|error| explain(error, got.as_ref(), cause.take()))?;
        }
    }

    /// Returns the first step. A kept one needs no plugin.
    async fn begin(&self, call: &str, mut input: Value) -> Result<Next, Error> {
        let (plugin, key, now, woken) =
            (&self.shared.plugin, format!("{call}{input}"), self.shared.now(), self.woken());
        if let Some(step) = plugin.kept.find(&key, now) {
            return Ok((step, woken));
        }
        input["now"] = now.into();
        let accepts = [("wait", true), ("store", self.shared.store.is_some()), ("renew", !self.renews)];
        let accepts: Vec<_> = accepts.iter().filter(|(_, accepted)| *accepted).map(|(name, _)| name).collect();
        let begin = json!({ "call": call, "accepts": accepts, "input": input });
        let first = plugin.begin(begin.to_string().as_bytes(), key)?;
        if first.renew {
            self.renew();
        }
        self.detach((first.step, woken)).await
    }

    /// Renews the token in the background. The call has a valid one, so no call waits for the renewal or sees its error. The
    /// log has that, and the plugin backs off.
    fn renew(&self) {
        let call = Self { timeout: None, renews: true, ..self.clone() };
        let renewal = async move {
            drop(call.shared.until_canceled(call.steps("get_token", json!({}), None)).await);
        };
        tokio::spawn(renewal.in_current_span());
    }

    /// Passes the outcome of a step to the plugin. Returns the next one.
    async fn resume(&self, flow: &Value, outcome: Value) -> Result<Next, Error> {
        self.detach(self.step(flow, outcome)?).await
    }

    /// Carries out the steps that serve other callers, too, in a task that outlives this one. The call cannot be dropped
    /// between the decision of the plugin and the start of the task, since nothing is awaited there.
    async fn detach(&self, next: Next) -> Result<Next, Error> {
        if !next.0.is_in_section() {
            return Ok(next);
        }
        let call = self.clone();
        let section = async move { call.shared.until_canceled(call.section(next.0)).await };
        tokio::spawn(section.in_current_span()).await.map_err(|error| Error::Failed(error.into()))?
    }

    /// Makes the token requests and store steps that the plugin wants now.
    async fn section(&self, mut step: Arc<Step>) -> Result<Next, Error> {
        let mut cause = None;
        loop {
            let (flow, outcome) = match &*step {
                Step::Request { flow, to: to @ To::Token { timeout, .. }, request } => {
                    let sending = async {
                        let sent = self.shared.http.send(to, request, None).await;
                        sent.map(|response| report(to, &response)).map_err(|lost| reason(&**cause.insert(lost)))
                    };
                    (flow, outcome(*timeout, sending).await)
                }
                Step::Store { flow, timeout, op, key, value, ttl } => {
                    let store = self.shared.store.as_ref().ok_or_else(|| Error::Failed("there is no store".into()))?;
                    let stored =
                        async { run(&*store.store, *op, key, value, *ttl).await.map_err(|error| reason(&*error)) };
                    let outcome = outcome(*timeout, stored).await;
                    if let Some(failed) = outcome["failed"].as_str() {
                        store.warn(failed, value);
                    }
                    (flow, outcome)
                }
                _ => return Err(Error::Failed("no step of a section".into())),
            };
            match self.step(flow, outcome) {
                Ok((next, _)) if next.is_in_section() => step = next,
                Ok(next) if matches!(*next.0, Step::Wait { .. }) => return Ok(next),
                next => {
                    self.shared.progress.notify_waiters();
                    return next.map_err(|error| explain(error, None, cause));
                }
            }
        }
    }

    fn step(&self, flow: &Value, mut outcome: Value) -> Result<Next, Error> {
        outcome["flow"] = flow.clone();
        let woken = self.woken();
        let output = self.shared.call("resume", outcome)?;
        Ok((Arc::new(decode(&output)?), woken))
    }

    fn woken(&self) -> OwnedNotified {
        self.shared.progress.clone().notified_owned()
    }

    async fn within<T>(&self, deadline: Option<Instant>, future: impl Future<Output = T>) -> Result<T, Error> {
        let Some(deadline) = deadline else { return Ok(future.await) };
        time::timeout_at(deadline, future).await.map_err(|_| {
            let message = timed_out(self.timeout.unwrap_or_default()) + ": call again, or raise the timeout";
            CallError { retryable: true, ..CallError::new(Code::NetworkError, message) }.into()
        })
    }
}

/// Adds what the plugin does not see to its error.
fn explain(mut error: Error, response: Option<&Response>, cause: Option<Cause>) -> Error {
    if let Error::Call(error) = &mut error {
        if let Some(response) = response.filter(|_| error.code == Code::ServiceError) {
            error.headers = response.headers.clone();
        }
        error.cause = error.cause.take().or(cause.map(Into::into));
    }
    error
}

async fn run(store: &dyn Store, op: Op, key: &str, value: &str, ttl: Duration) -> Result<Value, Cause> {
    Ok(match op {
        Op::Get => json!({ "value": store.get(key).await? }),
        Op::Add => json!({ "added": store.add(key, value, ttl).await? }),
        Op::Set => store.set(key, value, ttl).await.map(|()| json!({}))?,
    })
}

/// Waits for another call at most until that ends; for the store up to half longer, to avoid a thundering herd.
async fn wait(r#for: &WaitFor, seconds: Duration, woken: OwnedNotified) {
    match r#for {
        WaitFor::Call => drop(time::timeout(seconds, woken).await),
        WaitFor::Store => time::sleep(seconds.mul_f64(1.0 + fastrand::f64() / 2.0)).await,
    }
}

/// Returns the outcome of a step, bounded by its own timeout and not by that of the caller who happened to make it.
async fn outcome(timeout: Duration, step: impl Future<Output = Result<Value, String>>) -> Value {
    let result = time::timeout(timeout, step).await.unwrap_or_else(|_| Err(timed_out(timeout)));
    result.unwrap_or_else(|failed| json!({ "failed": failed }))
}

fn timed_out(timeout: Duration) -> String {
    format!("timed out after {timeout:?}")
}
