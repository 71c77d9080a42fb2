//! The client for code without async.

use std::io;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::task;

use crate::retry::{Retryable, Waits};
use crate::{Config, Error, Options, Request, Response, Secret, Status, Token};

/// Shared by all clients. Never dropped, which would panic in async code.
static RUNTIME: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).thread_name("rostering").enable_all().build());

/// A client for code without async: a [`crate::Client`] whose calls block.
///
/// Any number of threads may call it concurrently. In async code it blocks the thread, as [`thread::sleep`] does, but does not
/// panic.
#[derive(Clone, Debug)]
pub struct Client(crate::Client);

impl Client {
    /// Blocking form of [`crate::Client::open`].
    pub fn open(config: &Config, options: Options) -> Result<Self, Error> {
        wait(crate::Client::open(config, options))?.map(Self)
    }

    /// Returns a view for a customer: see [`crate::Client::for_customer`].
    #[must_use]
    pub fn for_customer<'a>(&self, id: impl Into<Option<&'a str>>) -> Self {
        Self(self.0.for_customer(id))
    }

    /// Returns a view for a user: see [`crate::Client::for_user`].
    #[must_use]
    pub fn for_user<'a>(&self, id: impl Into<Option<&'a str>>) -> Self {
        Self(self.0.for_user(id))
    }

    /// Returns a view with another timeout: see [`crate::Client::with_timeout`].
    #[must_use]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self(self.0.with_timeout(timeout))
    }

    /// Returns a view with headers: see [`crate::Client::with_headers`].
    #[must_use]
    pub fn with_headers(&self, headers: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self {
        Self(self.0.with_headers(headers))
    }

    /// Returns what the client has done: see [`crate::Client::status`].
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// Blocking form of [`crate::Client::close`].
    pub fn close(&self) {
        let _ = wait(self.0.close());
    }

    /// Blocking form of [`crate::Client::close_within`].
    pub fn close_within(&self, limit: Duration) {
        let _ = wait(self.0.close_within(limit));
    }
}

/// Blocking form of [`crate::retry`].
pub fn retry<T, E: Retryable>(deadline: Duration, call: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    retry_if(deadline, E::is_retryable, call)
}

/// Blocking form of [`crate::retry_if`].
pub fn retry_if<T, E: Retryable>(
    deadline: Duration,
    mut condition: impl FnMut(&E) -> bool,
    mut call: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let mut waits = Waits::new(deadline);
    loop {
        match call() {
            Ok(result) => return Ok(result),
            Err(error) => thread::sleep(waits.after_if(condition(&error), &error).ok_or(error)?),
        }
    }
}

/// Polls the call on this thread, since tokio's own ways to block panic in async code. There, the surrounding task has a
/// budget; once that is used up, tokio would make the call yield forever, unless it is unconstrained.
fn wait<T>(call: impl Future<Output = T>) -> Result<T, Error> {
    let runtime = RUNTIME.as_ref().map_err(|error| Error::open("tokio cannot start a thread", error))?;
    let _timers_and_sockets = runtime.enter();
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut call = pin!(task::unconstrained(call));
    loop {
        match call.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return Ok(result),
            Poll::Pending => thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Defines methods that block on those of the async client.
macro_rules! methods {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)+) => {
        impl Client {
            $(
                #[doc = concat!("Blocking form of [`crate::Client::", stringify!($name), "`].")]
                pub fn $name(&self, $($argument: $type),*) -> Result<$result, Error> {
                    wait(self.0.$name($($argument),*))?
                }
            )+
        }
    };
}

methods! {
    list_jobs() -> Response;
    send_request(request: Request) -> Response;
    get_token() -> Token;
    get_new_token() -> Token;
    replace_token(refused: &str) -> Token;
    set_token(token: &Token) -> ();
    clear_token() -> ();
    set_secret(secret: impl Into<Secret>) -> ();
}
