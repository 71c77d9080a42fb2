//! The waits between attempts.

use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::time::sleep;

use crate::cancel::Cancel;
use crate::error::{Code, Error};
use crate::{run, timeout, Result};

/// The state of a retry loop.
pub struct Retries {
    end: Option<Instant>,
    next: Duration,
}

/// Begins a retry loop whose attempts and waits end within the timeout; ROSTERING_CLIENT_TIMEOUT is 60 seconds here.
#[no_mangle]
pub extern "C" fn rostering_retries_new(timeout_ms: i64) -> Option<Box<Retries>> {
    let limit = timeout(timeout_ms).unwrap_or(Some(Duration::from_secs(60)));
    let end = limit.and_then(|limit| Instant::now().checked_add(limit));
    Some(Box::new(Retries { end, next: Duration::from_secs(1) }))
}

#[no_mangle]
pub extern "C" fn rostering_retries_free(retries: Option<Box<Retries>>) {
    drop(retries);
}

/// Waits for the next attempt:
///
///     do jobs = rostering_list_jobs(client, ROSTERING_CLIENT_TIMEOUT, NULL, &error);
///     while (rostering_retry(retries, NULL, &error));
///
/// Returns true after the error's retry_after, or after 1 second, doubling to 30, each with up to a tenth of jitter; it
/// frees *error and sets it to NULL. Returns false at once, with *error unchanged, if that is not retryable or the wait
/// would end after the timeout; and with canceled as the error if cancel, which may be NULL, is canceled.
#[no_mangle]
pub unsafe extern "C" fn rostering_retry(
    retries: Option<&mut Retries>,
    cancel: Option<&Cancel>,
    error: *mut *mut Error,
) -> bool {
    let (Some(retries), false) = (retries, error.is_null()) else { return false };
    let Some(failed) = error.read().as_ref() else { return false };
    let wait = failed.retry_after().unwrap_or(retries.next).mul_f64(1.0 + fastrand::f64() / 10.0);
    retries.next = Duration::from_secs(30).min(retries.next * 2);
    let in_time = retries.end.is_none_or(|end| Instant::now().checked_add(wait).is_some_and(|then| then <= end));
    if !failed.is_retryable() || !in_time {
        return false;
    }
    drop(Box::from_raw(error.read()));
    error.write(std::ptr::null_mut());
    run(error, || wait_for(wait, cancel).map(|()| true))
}

fn wait_for(wait: Duration, cancel: Option<&Cancel>) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::own(Code::PluginFailed, &format!("cannot wait: {error}")))?;
    runtime.block_on(async {
        tokio::select! {
            () = sleep(wait) => Ok(()),
            canceled = Cancel::canceled(cancel) => canceled,
        }
    })
}
