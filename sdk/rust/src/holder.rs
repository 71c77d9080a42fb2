//! Holds the token of a client. One flow at a time gets another token from the plugin, apart from the calls that wait for it.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tracing::Instrument;
use tracing::instrument::WithSubscriber;

use crate::core::Core;
use crate::flow::{Flow, News, Run};
use crate::step::{Action, Step};
use crate::{Error, Token, lock};

/// The age at which a step is abandoned. None takes that long, unless the process was frozen.
const MAX_AGE: Duration = Duration::from_secs(30);

/// What calls share about tokens. Its mutex is not held during I/O, nor while the plugin runs.
#[derive(Default)]
pub struct Holder {
    /// The token that calls use, and until when, in Unix seconds.
    kept: Option<(Arc<Token>, u64)>,
    /// The time at which a token was looked for.
    latest: u64,
    /// The last token that the service accepted.
    pub worked: Option<Arc<Token>>,
    /// The next flow begins with it.
    refused: Option<Refusal>,
    pub running: Option<Running>,
}

/// A token that the service refused.
pub struct Refusal {
    pub token: String,
    /// As in the contract.
    pub used: bool,
}

/// The flow that runs.
pub struct Running {
    flow: Arc<Flow>,
    task: AbortHandle,
    /// When its step began, by the client's clock, and by the monotonic one, which may stop with the machine.
    since: (u64, Instant),
}

impl Running {
    fn age(&self, now: u64) -> Duration {
        Duration::from_secs(now.saturating_sub(self.since.0)).max(self.since.1.elapsed())
    }

    /// Returns what has the news of the flow from now on, and how long to wait for them.
    fn watch(&self, now: u64) -> (watch::Receiver<News>, Duration) {
        (self.flow.news.subscribe(), MAX_AGE.saturating_sub(self.age(now)) + Duration::from_millis(1))
    }
}

impl Holder {
    /// Notes that the service refused a token. The next flow replaces it, unless another token or the running flow does.
    /// `first` is whether this was the first 401 of a call that can be sent again.
    pub fn refuse(&mut self, token: &str, first: bool) {
        let is = |own: &Token| own.access_token.expose() == token;
        self.kept.take_if(|(kept, _)| is(kept));
        let begun = self.running.as_ref().and_then(|running| running.flow.refused.as_ref());
        if self.kept.is_none() && begun.is_none_or(|begun| begun.token != token) {
            let used = first && self.worked.as_deref().is_some_and(is);
            self.refused = Some(Refusal { token: token.into(), used });
        }
    }

    /// Forgets the token, after `clear_token` or `set_token`. The plugin restarts a running flow after
    /// `clear_token`; after `set_token`, the calls that wait for it begin another.
    pub fn forget(&mut self, set: bool) {
        self.kept = None;
        if set {
            self.refused = None;
            self.abandon();
        }
    }

    /// Ends the flow that runs, without a result.
    pub fn abandon(&mut self) {
        if let Some(Running { flow, task, .. }) = self.running.take() {
            task.abort();
            flow.news.send_modify(|_| ());
        }
    }

    /// Returns the flow that runs. One that never ends is abandoned.
    fn running(&mut self, now: u64) -> Option<&Running> {
        if self.running.as_ref().is_some_and(|running| running.age(now) > MAX_AGE) {
            self.abandon();
        }
        self.running.as_ref()
    }

    /// Publishes a step, or the error that ends the flow, to all who wait, unless the flow has ended or was abandoned.
    pub fn publish(&mut self, flow: &Arc<Flow>, now: u64, step: Result<&Step, &Error>) {
        let Some(running) = self.running.as_mut().filter(|running| Arc::ptr_eq(&running.flow, flow)) else { return };
        running.since = (now, Instant::now());
        let mut token = None;
        let end = match step {
            Ok(step) => {
                // A call may refuse the token while the flow runs.
                let refused = self.refused.as_ref().map(|refused| refused.token.as_str());
                token = step.token.clone().filter(|token| refused != Some(token.access_token.expose()));
                if let Some(token) = &token {
                    (self.kept, self.refused) = (Some((token.clone(), step.until)), None);
                }
                step.token.clone().filter(|_| matches!(step.action, Action::Done)).map(Ok)
            }
            Err(error) => Some(Err(error.clone())),
        };
        if end.is_some() {
            self.running = None;
        }
        if token.is_some() || end.is_some() {
            flow.news.send_modify(|news| {
                news.tokens += usize::from(token.is_some());
                news.token = token.or(news.token.take());
                news.end = end;
            });
        }
    }
}

impl Core {
    /// Returns a token for a call. The service refused the call's last one, if it is given.
    pub async fn token(self: &Arc<Self>, refused: Option<&str>) -> Result<Arc<Token>, Error> {
        loop {
            let (flow, mut news, seen, patience) = {
                let mut holder = lock(&self.holder);
                let now = self.now();
                if now < mem::replace(&mut holder.latest, now) {
                    holder.kept = None; // the clock was set back
                }
                if let Some((token, until)) = &holder.kept
                    && now < *until
                {
                    return Ok(token.clone());
                }
                let running = self.running_or_new(&mut holder, now, false);
                let (news, patience) = running.watch(now);
                let seen = news.borrow().tokens;
                (running.flow.clone(), news, seen, patience)
            };
            self.wait(patience, news.changed()).await;
            let news = news.borrow();
            if let Some(token) = news.token.as_ref().filter(|_| news.tokens > seen) {
                return Ok(token.clone());
            }
            if let Some(Err(error)) = &news.end
                && !flow.force
                && flow.refused.as_ref().is_none_or(|begun| Some(begun.token.as_str()) == refused)
            {
                return Err(error.clone());
            }
        }
    }

    /// Returns the token of a flow that begins from now on and ignores the present token. All callers that wait for such a
    /// flow share it.
    pub async fn force(self: &Arc<Self>) -> Result<Arc<Token>, Error> {
        let before = lock(&self.holder).running(self.now()).map(|running| running.flow.clone());
        loop {
            let flow = self.running_or_new(&mut lock(&self.holder), self.now(), true).flow.clone();
            self.wait_for_end(&flow).await;
            let before = before.as_ref().is_some_and(|before| Arc::ptr_eq(before, &flow));
            if flow.force
                && !before
                && let Some(end) = &flow.news.borrow().end
            {
                return end.clone();
            }
        }
    }

    /// Waits for the flow that runs, if the process may be frozen when a call returns.
    pub async fn settle(&self) {
        if self.settles {
            let running = lock(&self.holder).running(self.now()).map(|running| running.flow.clone());
            if let Some(flow) = running {
                self.wait_for_end(&flow).await;
            }
        }
    }

    /// Waits until a flow has ended or was abandoned.
    async fn wait_for_end(&self, flow: &Arc<Flow>) {
        loop {
            let (mut news, patience) = {
                let (mut holder, now) = (lock(&self.holder), self.now());
                match holder.running(now) {
                    Some(running) if Arc::ptr_eq(&running.flow, flow) => running.watch(now),
                    _ => return,
                }
            };
            self.wait(patience, news.changed()).await;
        }
    }

    /// Returns the flow that runs, or begins one, which does not end with the call that began it.
    fn running_or_new<'a>(self: &Arc<Self>, holder: &'a mut Holder, now: u64, force: bool) -> &'a Running {
        if holder.running(now).is_none() {
            let refused = if force { None } else { holder.refused.take() };
            let flow = Arc::new(Flow { force, refused, news: watch::Sender::default() });
            let run = Run { flow: flow.clone(), core: self.clone() };
            let steps = run.steps().in_current_span().with_current_subscriber();
            let task = self.runtime.spawn(steps).abort_handle();
            holder.running = Some(Running { flow, task, since: (now, Instant::now()) });
        }
        holder.running.as_ref().expect("it was there, or has begun")
    }
}
