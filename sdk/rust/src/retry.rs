use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Error;

const LONGEST: Duration = Duration::from_secs(30);

/// Calls again while the error is `retryable`, after its `retry_after`, or after 1 s, doubling to 30 s, each with up to a
/// tenth of jitter. Returns the last error if it is not retryable, or if the wait would end after the deadline, which
/// counts from now.
///
/// Do not retry a request that is not idempotent: the service may carry it out twice.
pub async fn retry<T, F>(deadline: Duration, call: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    retry_if(deadline, |error| error.retryable, call).await
}

/// Retries like [`retry`] while the condition holds for the error, in place of its `retryable`.
pub async fn retry_if<T, F>(
    deadline: Duration,
    mut condition: impl FnMut(&Error) -> bool,
    mut call: impl FnMut() -> F,
) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
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

/// The waits of [`retry`], for your own loop, such as one with your own type of errors.
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

    /// Returns how long to wait after this error if the call is to be retried, such as for its `retryable`; `None` if it is
    /// the last one.
    pub fn after(&mut self, again: bool, error: &Error) -> Option<Duration> {
        let wait = error.retry_after.unwrap_or(self.next).mul_f64(1.0 + fastrand::f64() / 10.0);
        self.next = LONGEST.min(self.next * 2);
        let in_time = self.end.is_none_or(|end| Instant::now().checked_add(wait).is_some_and(|then| then <= end));
        (again && in_time).then_some(wait)
    }
}
