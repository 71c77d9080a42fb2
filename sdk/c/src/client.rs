//! The client and its calls.

use std::ffi::c_char;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::process;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Duration;

use automatic_rostering::Id;
use tokio::runtime::{Builder, Handle, Runtime};
use tracing::{dispatcher, Dispatch};

use crate::cancel::Cancel;
use crate::config::Config;
use crate::error::{Code, Error};
use crate::request::Request;
use crate::response::Response;
use crate::text::optional;
use crate::token::{self, Token};
use crate::{given, run, timeout, Result};

/// A client, or a view of one.
pub struct Client {
    client: automatic_rostering::Client,
    shared: Arc<Shared>,
}

/// What a client and its views share. Its threads end with it.
struct Shared {
    runtime: ManuallyDrop<Runtime>,
    log: Dispatch,
    /// The process that opened the client: its threads do not exist in a child.
    process: u32,
    client: Option<automatic_rostering::Client>,
}

/// How long freeing a client waits for what cannot be interrupted: a name lookup, or a callback that does not return.
const PATIENCE: Duration = Duration::from_secs(1);

impl Shared {
    fn start(log: Dispatch) -> Result<Self> {
        let of_threads = log.clone();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("rostering")
            .on_thread_start(move || prepare_thread(&of_threads))
            .enable_all()
            .build()
            .map_err(|error| Error::own(Code::PluginFailed, &format!("cannot start a thread: {error}")))?;
        Ok(Self { runtime: ManuallyDrop::new(runtime), log, process: process::id(), client: None })
    }

    /// Runs a future on this thread, with the log of this client.
    fn block_on<T>(&self, future: impl Future<Output = Result<T>>) -> Result<T> {
        if self.process != process::id() {
            let message = "this client was opened before fork: open another one in the child";
            return Err(Error::own(Code::Closed, message));
        }
        if Handle::try_current().is_ok() {
            let message = "a callback must not call the library: return first";
            return Err(Error::own(Code::InvalidInput, message));
        }
        dispatcher::with_default(&self.log, || self.runtime.block_on(future))
    }
}

/// Gives a thread of the library the client's log, and leaves signals to the threads of the program.
fn prepare_thread(log: &Dispatch) {
    std::mem::forget(dispatcher::set_default(log));
    #[cfg(unix)]
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if self.process != process::id() {
            return; // there are no threads to end
        }
        let runtime = unsafe { ManuallyDrop::take(&mut self.runtime) };
        if Handle::try_current().is_ok() {
            return runtime.shutdown_background(); // a thread cannot wait for itself
        }
        if let Some(client) = self.client.take() {
            runtime.block_on(client.close_within(Duration::ZERO));
        }
        runtime.shutdown_timeout(PATIENCE);
    }
}

impl Client {
    /// Makes a call, which ends with its timeout or when it is canceled.
    fn call<T, F>(
        &self,
        timeout_ms: i64,
        cancel: Option<&Cancel>,
        call: impl FnOnce(automatic_rostering::Client) -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>>,
    {
        let client = timeout(timeout_ms).map_or_else(|| self.client.clone(), |limit| self.client.with_timeout(limit));
        self.shared.block_on(async {
            tokio::select! {
                biased; // a response that has arrived is returned
                result = call(client) => result,
                Err(canceled) = Cancel::canceled(cancel) => Err(canceled),
            }
        })
    }

    fn view(&self, client: automatic_rostering::Client) -> Option<Box<Self>> {
        Some(Box::new(Self { client, shared: self.shared.clone() }))
    }
}

/// Opens a client, which checks the config and sends nothing. Free the config afterward if you do not need it.
#[no_mangle]
pub extern "C" fn rostering_client_open(config: Option<&Config>, error: *mut *mut Error) -> Option<Box<Client>> {
    run(error, || {
        let config = given(config, "config")?;
        let options = config.options()?;
        let mut shared = Shared::start(config.logger.dispatch())?;
        let open = async { Ok(automatic_rostering::Client::open(&config.config, options).await?) };
        let client = shared.block_on(open)?;
        shared.client = Some(client.clone());
        Ok(Some(Box::new(Client { client, shared: Arc::new(shared) })))
    })
}

/// Returns a view: the same client and token, whose calls are for this customer. NULL as the id sends no such header. A
/// view of a view has both ids. Views are cheap; free them before or after the client.
#[no_mangle]
pub extern "C" fn rostering_client_for_customer(
    client: Option<&Client>,
    customer_id: *const c_char,
    error: *mut *mut Error,
) -> Option<Box<Client>> {
    run(error, || {
        let (client, id) = (given(client, "client")?, Id::from(optional("customer_id", customer_id)?));
        Ok(client.view(client.client.for_customer(id)))
    })
}

/// The same for a user.
#[no_mangle]
pub extern "C" fn rostering_client_for_user(
    client: Option<&Client>,
    user_id: *const c_char,
    error: *mut *mut Error,
) -> Option<Box<Client>> {
    run(error, || {
        let (client, id) = (given(client, "client")?, Id::from(optional("user_id", user_id)?));
        Ok(client.view(client.client.for_user(id)))
    })
}

/// Closes a client with all its views: later calls fail with closed. Waits up to timeout_ms for the calls in progress;
/// those that remain fail with closed, too. 0 does not wait. A token request for which no call waits is abandoned.
#[no_mangle]
pub extern "C" fn rostering_client_close(client: Option<&Client>, timeout_ms: i64) {
    run(std::ptr::null_mut(), || {
        let client = given(client, "client")?;
        client.shared.block_on(async {
            match u64::try_from(timeout_ms) {
                Ok(limit) => client.client.close_within(Duration::from_millis(limit)).await,
                Err(_) => client.client.close().await,
            }
            Ok(())
        })
    });
}

/// Frees a client or a view. Freeing the last of them closes the client without waiting, and ends its threads; only one
/// that is in a name lookup or in a callback after a second may end later.
#[no_mangle]
pub extern "C" fn rostering_client_free(client: Option<Box<Client>>) {
    run(std::ptr::null_mut(), || {
        drop(client);
        Ok(())
    });
}

/// Lists the jobs. timeout_ms is ROSTERING_CLIENT_TIMEOUT, ROSTERING_NO_TIMEOUT or a time; cancel may be NULL.
#[no_mangle]
pub extern "C" fn rostering_list_jobs(
    client: Option<&Client>,
    timeout_ms: i64,
    cancel: Option<&Cancel>,
    error: *mut *mut Error,
) -> Option<Box<Response>> {
    run(error, || {
        let call = |client: automatic_rostering::Client| async move { Ok(client.list_jobs().await?) };
        Ok(Some(Box::new(given(client, "client")?.call(timeout_ms, cancel, call)?.into())))
    })
}

/// Sends a request to the service.
#[no_mangle]
pub extern "C" fn rostering_send_request(
    client: Option<&Client>,
    request: Option<&Request>,
    timeout_ms: i64,
    cancel: Option<&Cancel>,
    error: *mut *mut Error,
) -> Option<Box<Response>> {
    run(error, || {
        let client = given(client, "client")?;
        let (request, pump) = given(request, "request")?.make()?;
        let Some(mut pump) = pump else {
            let call = |client: automatic_rostering::Client| async move { Ok(client.send_request(request).await?) };
            return Ok(Some(Box::new(client.call(timeout_ms, cancel, call)?.into())));
        };
        let reading = &mut pump;
        let call = |client: automatic_rostering::Client| async move {
            tokio::select! {
                biased;
                response = client.send_request(request) => Ok(response?),
                () = reading.run() => unreachable!("it does not end"),
            }
        };
        let sent = client.call(timeout_ms, cancel, call);
        if pump.lost.load(Ordering::SeqCst) {
            return Err(Error::unauthorized("the token was refused, and the body cannot be sent again: call again"));
        }
        Ok(Some(Box::new(sent?.into())))
    })
}

/// Returns the cached token, or requests one. force requests a new one; if that fails, the cached one is kept. refused,
/// which may be NULL, is a token that the service refused with a 401: it is replaced.
#[no_mangle]
pub extern "C" fn rostering_get_token(
    client: Option<&Client>,
    force: bool,
    refused: *const c_char,
    timeout_ms: i64,
    cancel: Option<&Cancel>,
    error: *mut *mut Error,
) -> Option<Box<Token>> {
    run(error, || {
        let refused = optional("refused", refused)?.map(|refused| token::token(refused, "Bearer", 0, ""));
        let refused = refused.transpose()?;
        if force && refused.is_some() {
            return Err(Error::invalid("refused", "set force or refused, not both"));
        }
        let call = |client: automatic_rostering::Client| async move {
            Ok(match refused {
                Some(refused) => client.replace_token(&refused).await,
                None if force => client.get_new_token().await,
                None => client.get_token().await,
            }?)
        };
        Ok(Some(Box::new(given(client, "client")?.call(timeout_ms, cancel, call)?.into())))
    })
}

/// Caches a token that another client with the same config got.
#[no_mangle]
pub extern "C" fn rostering_set_token(client: Option<&Client>, token: Option<&Token>, error: *mut *mut Error) -> bool {
    run(error, || {
        let (client, token) = (given(client, "client")?, given(token, "token")?);
        client.shared.block_on(async { Ok(client.client.set_token(&token.token).await.map(|()| true)?) })
    })
}

/// Forgets the token and the backoff after failed token requests.
#[no_mangle]
pub extern "C" fn rostering_clear_token(client: Option<&Client>, error: *mut *mut Error) -> bool {
    run(error, || {
        let client = given(client, "client")?;
        client.shared.block_on(async { Ok(client.client.clear_token().await.map(|()| true)?) })
    })
}
