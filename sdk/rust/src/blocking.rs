//! The client for code without async.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::task;

use crate::retry::{Retryable, Waits};
use crate::{Config, Error, Options, Request, Response, Secret, Status, Token, runtime};

/// A client for code without async: a [`crate::Client`] whose calls block.
///
/// Any number of threads may call it concurrently. In async code it blocks the thread, as [`thread::sleep`] does, but does not
/// panic.
#[derive(Clone, Debug)]
#[must_use]
pub struct Client(crate::Client);

impl Client {
    /// Blocking form of [`crate::Client::open`].
    pub fn open(config: &Config, options: Options) -> Result<Self, Error> {
        wait(crate::Client::open(config, options))?.map(Self)
    }
}

/// Defines methods by those of the async client, and what becomes of their results.
macro_rules! methods {
    ($(|$result:ident| $done:expr => $($name:ident$(<$life:lifetime>)?($($argument:ident: $type:ty),*) -> $returned:ty;)+)+) => {
        impl Client {
            $($(
                #[doc = concat!("Blocking form of [`crate::Client::", stringify!($name), "`].")]
                pub fn $name$(<$life>)?(&self, $($argument: $type),*) -> $returned {
                    let $result = self.0.$name($($argument),*);
                    $done
                }
            )+)+
        }
    };
}

methods! {
    |view| Self(view) =>
        for_customer<'a>(id: impl Into<Option<&'a str>>) -> Self;
        for_user<'a>(id: impl Into<Option<&'a str>>) -> Self;
        with_timeout(timeout: impl Into<Option<Duration>>) -> Self;
        with_headers(headers: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>) -> Self;
    |call| wait(call)? =>
        list_jobs() -> Result<Response, Error>;
        send_request(request: Request) -> Result<Response, Error>;
        get_token() -> Result<Token, Error>;
        get_new_token() -> Result<Token, Error>;
        replace_token(refused: &str) -> Result<Token, Error>;
        set_token(token: &Token) -> Result<(), Error>;
        clear_token() -> Result<(), Error>;
        set_secret(secret: impl Into<Secret>) -> Result<(), Error>;
    |status| status =>
        status() -> Status;
    |end| drop(wait(end)) =>
        close() -> ();
        close_within(limit: Duration) -> ();
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
            Err(error) => thread::sleep(waits.after(condition(&error), &error).ok_or(error)?),
        }
    }
}

/// Polls the call on this thread, since tokio's own ways to block panic in async code. There, the surrounding task has a
/// budget; once that is used up, tokio would make the call yield forever, unless it is unconstrained.
fn wait<T>(call: impl Future<Output = T>) -> Result<T, Error> {
    let runtime = runtime::own()?;
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
