//! A token flow of the plugin, whose steps are carried out here.

use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time;

use crate::error::{failure, text};
use crate::holder::Refusal;
use crate::plugin::decode;
use crate::shared::{Shared, within};
use crate::step::{Action, Step};
use crate::store;
use crate::{Cause, Code, Error, Token, lock};

pub struct Flow {
    pub force: bool,
    /// That it replaces.
    pub refused: Option<Refusal>,
    pub news: watch::Sender<News>,
}

/// What a flow has reported to those who wait for it.
#[derive(Default)]
pub struct News {
    /// Of the last step that had one.
    pub token: Option<Arc<Token>>,
    /// How many steps had one.
    pub tokens: usize,
    /// Of a flow that has ended, and was not abandoned.
    pub end: Option<Result<Arc<Token>, Error>>,
}

/// A flow that runs, until the last step or a panic drops this.
pub struct Run {
    pub flow: Arc<Flow>,
    pub shared: Arc<Shared>,
}

impl Drop for Run {
    fn drop(&mut self) {
        if thread::panicking() {
            let ended =
                Error::new(Code::PluginFailed, "the token request panicked, in the store, the clock or the library");
            lock(&self.shared.holder).end(&self.flow, Err(ended));
        }
    }
}

impl Run {
    pub async fn steps(self) {
        let accepts: &[&str] = if self.shared.store.is_some() { &["store", "wait"] } else { &["wait"] };
        let mut input = json!({ "accepts": accepts, "force": self.flow.force });
        if let Some(Refusal { token, used }) = &self.flow.refused {
            input["refused"] = token.as_str().into();
            input["used"] = (*used).into();
        }
        let (mut export, mut cause) = ("begin", None);
        while let Some(step) = self.ask(export, input, &mut cause) {
            let (result, failed) = self.carry_out(&step.action).await;
            if matches!(step.action, Action::Request { .. }) {
                cause = failed; // also of an error that comes after steps of the store
            }
            input = result;
            input["flow"] = step.flow;
            export = "resume";
        }
    }

    /// Returns the next step, which is published before the plugin's state changes again, or nothing after the last one.
    fn ask(&self, export: &str, mut input: Value, cause: &mut Option<Cause>) -> Option<Step> {
        input["now"] = self.shared.now().into();
        self.shared.plugin.apply(export, &input, |output| {
            let step = output.and_then(|output| decode::<Step>(&output));
            let (mut holder, now) = (lock(&self.shared.holder), self.shared.now());
            match step {
                Ok(step) => {
                    holder.publish(&self.flow, now, &step);
                    Some(step).filter(|step| !matches!(step.action, Action::Done))
                }
                Err(error) => {
                    holder.end(&self.flow, Err(error.with_cause(cause.take())));
                    None
                }
            }
        })
    }

    /// Carries out a step. Returns its result, and why it failed.
    async fn carry_out(&self, action: &Action) -> (Value, Option<Cause>) {
        let done = match action {
            Action::Request { timeout, limit, request } => match request.make() {
                Ok(request) => within(*timeout, self.shared.http.send(request, *limit, *limit)).await,
                Err(invalid) => Err(invalid),
            }
            .map(|response| response.report()),
            Action::Store { timeout, op, key, value, ttl } => {
                within(*timeout, store::apply(self.shared.store.as_deref(), op, key, value, *ttl)).await
            }
            Action::Wait { seconds } => {
                // At random, against a thundering herd.
                time::sleep(seconds.mul_f64(1.0 + fastrand::f64() / 2.0)).await;
                Ok(json!({}))
            }
            Action::Done => Ok(json!({})),
        };
        match (done, action) {
            (Ok(result), _) => (result, None),
            (Err(error), Action::Request { .. }) => (failure(&error), Some(error)),
            (Err(error), _) => (json!({ "failed": text(&*error) }), Some(error)),
        }
    }
}
