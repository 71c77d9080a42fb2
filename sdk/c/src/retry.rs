//! Retries, and canceling calls and the waits between them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use automatic_rostering::Waits;

use crate::error::{CallCode, Error};
use crate::{run, Result};

/// How often a call checks whether it is canceled: a signal handler can set a flag, but cannot wake a thread.
const LOOK: Duration = Duration::from_millis(20);

/// A handle that cancels calls. It may serve many calls, of any client; free it after they ended.
#[derive(Default)]
pub struct Cancel(AtomicBool);

impl Cancel {
    fn check(&self) -> Result<()> {
        let canceled = self.0.load(Ordering::SeqCst);
        if canceled {
            Err(Error::own(CallCode::Canceled, "the call was canceled"))
        } else {
            Ok(())
        }
    }

    /// Waits until the handle is canceled; without a handle, forever.
    pub async fn canceled(handle: Option<&Self>) -> Box<Error> {
        let Some(handle) = handle else { return std::future::pending().await };
        loop {
            if let Err(canceled) = handle.check() {
                return canceled;
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

#[no_mangle]
pub extern "C" fn rostering_cancel_new() -> Option<Box<Cancel>> {
    Some(Box::default())
}

/// Cancels the calls of the handle, including later ones: they fail with canceled. Safe in a signal handler. A token
/// request continues, for the next call; a response of the service that has arrived is returned.
#[no_mangle]
pub extern "C" fn rostering_cancel_calls(cancel: Option<&Cancel>) {
    if let Some(cancel) = cancel {
        cancel.0.store(true, Ordering::SeqCst);
    }
}

#[no_mangle]
pub extern "C" fn rostering_cancel_free(cancel: Option<Box<Cancel>>) {
    drop(cancel);
}

/// The state of a retry loop.
pub struct Retries(Waits);

/// Begins a retry loop whose attempts and waits end within this time, which may be ROSTERING_NO_TIMEOUT.
#[no_mangle]
pub extern "C" fn rostering_retries_new(timeout_ms: i64) -> Option<Box<Retries>> {
    let limit = u64::try_from(timeout_ms).map_or(Duration::MAX, Duration::from_millis);
    Some(Box::new(Retries(Waits::new(limit))))
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
/// frees *error and sets it to NULL. Returns false immediately, with *error unchanged, if that is not retryable or the wait
/// would end after the timeout; and with canceled as the error if cancel, which may be NULL, is canceled.
#[no_mangle]
pub unsafe extern "C" fn rostering_retry(
    retries: Option<&mut Retries>,
    cancel: Option<&Cancel>,
    error: *mut *mut Error,
) -> bool {
    let retryable = error.as_ref().and_then(|error| error.as_ref()).is_some_and(|error| error.call.retryable);
    rostering_retry_if(retries, retryable, cancel, error)
}

/// As rostering_retry, but again decides in place of whether the error is retryable:
///
///     while (rostering_retry_if(retries, rostering_error_code(error) == ROSTERING_CODE_NETWORK_ERROR, NULL, &error));
#[no_mangle]
pub unsafe extern "C" fn rostering_retry_if(
    retries: Option<&mut Retries>,
    again: bool,
    cancel: Option<&Cancel>,
    error: *mut *mut Error,
) -> bool {
    let (Some(Retries(waits)), Some(failed)) = (retries, error.as_mut()) else { return false };
    let wait = failed.as_ref().and_then(|failed| waits.after(again, &failed.call));
    let Some(end) = wait.map(|wait| Instant::now() + wait) else { return false };
    drop(Box::from_raw(*failed));
    *failed = std::ptr::null_mut();
    run(error, || {
        while let Some(rest) = end.checked_duration_since(Instant::now()) {
            cancel.map_or(Ok(()), Cancel::check)?;
            thread::sleep(rest.min(LOOK));
        }
        Ok(true)
    })
}
