use std::time::Duration;

use extism::Plugin;
use extism::convert::Json;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::clock::unix_now;
use crate::deadline::Deadline;
use crate::form::Form;
use crate::step::{Begin, Resume, Step};
use crate::{CallError, Error, Http};

/// Makes the calls of an instance by its exports `begin` and `resume`: the host sends the requests.
///
/// [`Rostering::open_with`](crate::Rostering::open_with) has one inside. Take it by itself for an
/// instance that is made in another way.
///
/// Threads take turns at the instance, which is busy for microseconds; their requests are under way
/// at the same time.
#[derive(Debug)]
pub struct Driver {
    plugin: Mutex<Plugin>,
    http: Http,
    timeout: Option<Duration>,
}

impl Driver {
    /// `timeout` bounds each call, with its waiting for turns.
    #[must_use]
    pub fn new(plugin: Plugin, http: Http, timeout: Option<Duration>) -> Self {
        Self { plugin: Mutex::new(plugin), http, timeout }
    }

    /// Makes a call that sends requests, and gives what the export of that name gives.
    ///
    /// Its time is the system's, or that of the input if it has a `now`.
    ///
    /// # Errors
    /// [`Error::Call`], and [`Error::Plugin`] for what should not happen.
    pub fn call(&self, call: &str, mut input: Map<String, Value>) -> Result<Vec<u8>, Error> {
        let deadline = Deadline::after(self.timeout);
        let timed = input.contains_key("now");
        let now = || (!timed).then(unix_now);
        if let Some(now) = now() {
            input.insert("now".into(), now.into());
        }
        let mut turn = self.turn(deadline)?;
        let mut step = export(&mut turn, "begin", Begin { call, input })?;
        let mut body = Vec::new();
        loop {
            let (flow, request) = match step {
                Step::Request { flow, request } => (flow, request),
                Step::Done { output: None } => return Ok(body),
                Step::Done { output: Some(token) } => return Ok(token.to_string().into_bytes()),
            };
            let answer;
            if request.asks_for_token() {
                // In our turn, so that the others then find the token, and ask for none.
                (answer, body) = self.http.send(request, deadline);
            } else {
                drop(turn);
                (answer, body) = self.http.send(request, deadline);
                turn = self.turn(deadline)?;
            }
            step = export(&mut turn, "resume", Resume { flow, now: now(), answer })?;
        }
    }

    /// Calls an export that sends no request.
    ///
    /// # Errors
    /// Those of [`call`](Self::call).
    pub fn tell(&self, export: &str, input: &str) -> Result<(), Error> {
        let mut turn = self.turn(Deadline::after(self.timeout))?;
        turn.call::<_, ()>(export, input).map_err(Error::of_export)
    }

    /// The instance itself.
    pub fn get_mut(&mut self) -> &mut Plugin {
        self.plugin.get_mut()
    }

    fn turn(&self, deadline: Deadline) -> Result<MutexGuard<'_, Plugin>, Error> {
        let turn = match deadline.end() {
            Some(end) => self.plugin.try_lock_until(end),
            None => Some(self.plugin.lock()),
        };
        turn.ok_or_else(|| CallError::network(deadline.to_string(), None).into())
    }
}

impl Form for Driver {
    fn call(&self, call: &str, input: Map<String, Value>) -> Result<Vec<u8>, Error> {
        self.call(call, input)
    }

    fn tell(&self, export: &str, input: &str) -> Result<(), Error> {
        self.tell(export, input)
    }
}

fn export(plugin: &mut Plugin, export: &str, input: impl Serialize) -> Result<Step, Error> {
    let Json(step) = plugin.call(export, Json(input)).map_err(Error::of_export)?;
    Ok(step)
}
