use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Error;

const LONGEST: Duration = Duration::from_secs(30);

/// An error that [`retry`] understands: implement it for your own error type that holds an [`Error`].
pub trait Retryable {
    /// Returns whether the same call may succeed later.
    fn is_retryable(&self) -> bool;

    /// Returns how long to wait before the next call, if that is known.
    fn retry_after(&self) -> Option<Duration> {
        None
    }
}

impl Retryable for Error {
    fn is_retryable(&self) -> bool {
        self.retryable
    }

    fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

/// Calls again while the error is [`Retryable`], after its `retry_after`, or after 1 s, doubling to 30 s, each with up to a
/// tenth of jitter. Returns the last error if it is not retryable, or if the wait would end after the deadline, which
/// counts from now.
///
/// Do not retry a request that is not idempotent: the service may carry it out twice.
pub async fn retry<T, E, F>(deadline: Duration, call: impl FnMut() -> F) -> Result<T, E>
where
    E: Retryable,
    F: Future<Output = Result<T, E>>,
{
    retry_if(deadline, E::is_retryable, call).await
}

/// Retries like [`retry`] while the condition holds for the error, in place of [`is_retryable`](Retryable::is_retryable).
pub async fn retry_if<T, E, F>(
    deadline: Duration,
    mut condition: impl FnMut(&E) -> bool,
    mut call: impl FnMut() -> F,
) -> Result<T, E>
where
    E: Retryable,
    F: Future<Output = Result<T, E>>,
{
    let mut waits = Waits::new(deadline);
    loop {
        match call().await {
            Ok(result) => return Ok(result),
            Err(error) => match waits.after(condition(&error), &error) {
                Some(wait) => sleep(wait).await,
                None => return Err(error),
            },
        }
    }
}

/// The waits of [`retry`], for your own loop.
#[derive(Debug)]
pub struct Waits {
    end: Option<Instant>,
    next: Duration,
}

impl Waits {
    /// Begins a loop that ends within the deadline, which counts from now.
    #[must_use]
    pub fn new(deadline: Duration) -> Self {
        Self { end: Instant::now().checked_add(deadline), next: Duration::from_secs(1) }
    }

    /// Returns how long to wait after this error if the call is to be retried, such as for its
    /// [`is_retryable`](Retryable::is_retryable); `None` if it is the last one.
    pub fn after(&mut self, again: bool, error: &impl Retryable) -> Option<Duration> {
        let wait = error.retry_after().unwrap_or(self.next).mul_f64(1.0 + fastrand::f64() / 10.0);
        self.next = LONGEST.min(self.next * 2);
        let in_time = self.end.is_none_or(|end| Instant::now().checked_add(wait).is_some_and(|then| then <= end));
        (again && in_time).then_some(wait)
    }
}
