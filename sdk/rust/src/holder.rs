//! Holds the token of a client. One flow at a time gets another from the plugin, apart from the calls that wait. Rules are those of
//! docs/contract.md, A host.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tracing::Instrument;
use tracing::instrument::WithSubscriber;

use crate::flow::{Flow, News, Run};
use crate::shared::Shared;
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
    worked: Option<Arc<Token>>,
    /// With which the next flow begins.
    refused: Option<Refusal>,
    /// That runs.
    flow: Option<Running>,
}

/// A token that the service refused.
pub struct Refusal {
    pub token: String,
    /// As in the contract.
    pub used: bool,
}

/// The flow that runs.
struct Running {
    flow: Arc<Flow>,
    task: AbortHandle,
    /// When its step began, by the client's clock, and by the monotonic one, which may stop with the machine.
    since: (u64, Instant),
    /// Whether its step writes to the store.
    writes: bool,
}

impl Running {
    /// Returns how long ago its step began, by the clock that shows more (rule 6).
    fn age(&self, now: u64) -> Duration {
        Duration::from_secs(now.saturating_sub(self.since.0)).max(self.since.1.elapsed())
    }

    /// Returns what has the news of the flow from now on, and how long to wait for them.
    fn watch(&self, now: u64) -> (watch::Receiver<News>, Duration) {
        (self.flow.news.subscribe(), MAX_AGE.saturating_sub(self.age(now)) + Duration::from_millis(1))
    }
}

impl Shared {
    /// Returns a token for a call. The service refused the call's last one, `mine`, if it is given.
    pub async fn token(self: &Arc<Self>, mine: Option<&str>) -> Result<Arc<Token>, Error> {
        loop {
            let (flow, mut news, seen, patience) = {
                let mut holder = lock(&self.holder);
                let now = self.now();
                if now < mem::replace(&mut holder.latest, now) {
                    holder.kept = None; // the clock was set back (rule 7)
                }
                if let Some((token, until)) = &holder.kept
                    && now < *until
                {
                    return Ok(token.clone());
                }
                let running = self.join(&mut holder, now, false);
                let (news, patience) = running.watch(now);
                let seen = news.borrow().tokens;
                (running.flow.clone(), news, seen, patience)
            };
            self.wait(patience, news.changed()).await;
            let news = news.borrow();
            if let Some(token) = news.token.as_ref().filter(|_| news.tokens > seen) {
                return Ok(token.clone());
            }
            // Rule 2: the error is not that of others.
            if let Some(Err(error)) = &news.end
                && !flow.force
                && flow.refused.as_ref().is_none_or(|refused| Some(refused.token.as_str()) == mine)
            {
                return Err(error.clone());
            }
        }
    }

    /// Returns the token of a flow that begins from now on, which all share that wait for it (rule 1).
    pub async fn force(self: &Arc<Self>) -> Result<Arc<Token>, Error> {
        let before = lock(&self.holder).flow.as_ref().map(|running| running.flow.clone());
        loop {
            let flow = self.join(&mut lock(&self.holder), self.now(), true).flow.clone();
            self.wait_for_end(&flow).await;
            let is_new = flow.force && before.as_ref().is_none_or(|before| !Arc::ptr_eq(before, &flow));
            if let Some(end) = flow.news.borrow().end.as_ref().filter(|_| is_new) {
                return end.clone();
            }
        }
    }

    /// Waits for the end of the flow that runs, if the process may be frozen after the call.
    pub async fn settle(&self) {
        if self.settles {
            let running = lock(&self.holder).flow.as_ref().map(|running| running.flow.clone());
            if let Some(flow) = running {
                self.wait_for_end(&flow).await;
            }
        }
    }

    /// Waits until the flow that runs does not write to the store, at the end of the client: its lock would stay there, and others
    /// wait for it.
    pub async fn written(&self) {
        loop {
            let writing =
                lock(&self.holder).flow.as_ref().filter(|running| running.writes).map(|r| r.flow.news.subscribe());
            let Some(mut news) = writing else { return };
            self.wait(MAX_AGE, news.changed()).await;
        }
    }

    /// Returns the flow that runs, or begins one, which does not end with the call that began it (rule 2).
    fn join<'a>(self: &Arc<Self>, holder: &'a mut Holder, now: u64, force: bool) -> &'a Running {
        if holder.running(now).is_none() {
            let refused = if force { None } else { holder.refused.take() };
            let flow = Arc::new(Flow { force, refused, news: watch::Sender::default() });
            let run = Run { flow: flow.clone(), shared: self.clone() };
            let steps = run.steps().in_current_span().with_current_subscriber();
            let task = self.runtime.spawn(steps).abort_handle();
            holder.flow = Some(Running { flow, task, since: (now, Instant::now()), writes: false });
        }
        holder.flow.as_ref().expect("it was there, or has begun")
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
}

impl Holder {
    /// Notes that the service did not refuse a token.
    pub fn accept(&mut self, token: &Arc<Token>) {
        self.worked = Some(token.clone());
    }

    /// Notes that the service refused a token. The next flow replaces it, unless it is replaced (rule 3). `first` is whether this
    /// was the first 401 of a call that can be sent again (rule 4).
    pub fn refuse(&mut self, token: &str, first: bool) {
        let is = |own: &Token| own.access_token.expose() == token;
        self.kept.take_if(|(kept, _)| is(kept));
        let running = self.flow.as_ref().and_then(|running| running.flow.refused.as_ref());
        let is_replaced = running.is_some_and(|refused| refused.token == token);
        if self.kept.is_none() && !is_replaced {
            let used = first && self.worked.as_deref().is_some_and(is);
            self.refused = Some(Refusal { token: token.into(), used });
        }
    }

    /// Forgets the token, after `clear_token` or `set_token`. The plugin restarts a running flow after `clear_token`; after
    /// `set_token`, the calls that wait for it begin another (rule 1).
    pub fn forget(&mut self, set: bool) {
        self.kept = None;
        if set {
            self.refused = None;
            self.abandon();
        }
    }

    /// Has all who wait use the token of a step, before the plugin's state changes again (rule 1).
    pub fn publish(&mut self, flow: &Arc<Flow>, now: u64, step: &Step) {
        let Some(running) = self.of(flow) else { return }; // abandoned: its result does not count (rule 6)
        running.since = (now, Instant::now());
        let writes = matches!(&step.action, Action::Store { op, .. } if op == "set");
        if mem::replace(&mut running.writes, writes) {
            flow.news.send_modify(|_| ()); // for `written`
        }
        // Rule 3: the service may refuse the token while the flow runs.
        let refused = self.refused.as_ref().map(|refused| refused.token.as_str());
        let token = step.token.clone().filter(|token| refused != Some(token.access_token.expose()));
        if let Some(token) = token {
            (self.kept, self.refused) = (Some((token.clone(), step.until)), None);
            flow.news.send_modify(|news| {
                news.tokens += 1;
                news.token = Some(token);
            });
        }
        if let (Action::Done, Some(token)) = (&step.action, &step.token) {
            self.end(flow, Ok(token.clone()));
        }
    }

    /// Ends a flow for all who wait, unless it has ended or was abandoned (rule 2).
    pub fn end(&mut self, flow: &Arc<Flow>, end: Result<Arc<Token>, Error>) {
        if self.of(flow).is_some() {
            self.flow = None;
            flow.news.send_modify(|news| news.end = Some(end));
        }
    }

    /// Returns whether a flow runs.
    pub fn is_busy(&self) -> bool {
        self.flow.is_some()
    }

    /// Ends the flow that runs, without a result.
    pub fn abandon(&mut self) {
        if let Some(Running { flow, task, .. }) = self.flow.take() {
            task.abort();
            flow.news.send_modify(|_| ());
        }
    }

    /// Returns the flow that runs. One whose step is too old is abandoned (rule 6).
    fn running(&mut self, now: u64) -> Option<&Running> {
        if self.flow.as_ref().is_some_and(|running| running.age(now) > MAX_AGE) {
            self.abandon();
        }
        self.flow.as_ref()
    }

    fn of(&mut self, flow: &Arc<Flow>) -> Option<&mut Running> {
        self.flow.as_mut().filter(|running| Arc::ptr_eq(&running.flow, flow))
    }
}
