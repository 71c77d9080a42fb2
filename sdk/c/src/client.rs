//! The client, its calls and its token.

use std::ffi::{c_char, CString};
use std::future::Future;
use std::mem;
use std::process;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::runtime::{Builder, Handle, Runtime};
use tracing::{dispatcher, Dispatch};

use crate::config::Config;
use crate::error::{CallCode, Error};
use crate::request::Request;
use crate::response::Response;
use crate::retry::Cancel;
use crate::{c_string, given, make, optional, pointer, required, run, Result};

type Called<T> = std::result::Result<T, automatic_rostering::Error>;

/// A client, or a view of one.
pub struct Client {
    client: automatic_rostering::Client,
    shared: Arc<Shared>,
}

/// What a client and its views share. Its threads end with it.
struct Shared {
    runtime: Option<Runtime>,
    /// The process that opened the client: its threads do not exist in a child.
    process: u32,
}

/// How long freeing a client waits for what cannot be interrupted: a name lookup, or a callback that does not return.
const PATIENCE: Duration = Duration::from_secs(1);

impl Shared {
    fn start(log: Dispatch) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("rostering")
            .on_thread_start(move || prepare_thread(&log))
            .enable_all()
            .build()
            .map_err(|error| Error::own(CallCode::PluginFailed, &format!("cannot start a thread: {error}")))?;
        Ok(Self { runtime: Some(runtime), process: process::id() })
    }

    /// Runs a call on a thread of the library, whose stack is large enough: the calling thread only waits.
    fn run<T: Send + 'static>(
        &self,
        cancel: Option<&Cancel>,
        call: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let (Some(runtime), true) = (&self.runtime, self.process == process::id()) else {
            let message = "this client was opened before fork: open another one in the child";
            return Err(Error::own(CallCode::Closed, message));
        };
        if Handle::try_current().is_ok() {
            let message = "a callback must not call the library: return first";
            return Err(Error::own(CallCode::InvalidInput, message));
        }
        let mut task = runtime.spawn(call);
        runtime.block_on(async {
            tokio::select! {
                biased; // a response that has arrived is returned
                result = &mut task => result.unwrap_or_else(|_| Err(Error::panicked())),
                canceled = Cancel::canceled(cancel) => {
                    task.abort();
                    Err(canceled)
                }
            }
        })
    }
}

/// Gives a thread of the library the client's log, and leaves signals to the threads of the program.
fn prepare_thread(log: &Dispatch) {
    mem::forget(dispatcher::set_default(log));
    #[cfg(unix)]
    unsafe {
        let mut all = mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        match self.runtime.take() {
            // A thread of the library cannot wait for itself.
            Some(runtime) if Handle::try_current().is_ok() => runtime.shutdown_background(),
            Some(runtime) => runtime.shutdown_timeout(PATIENCE),
            None => {}
        }
    }
}

impl Client {
    /// Makes a call, which ends with its timeout or when it is canceled.
    fn call<T: Send + 'static, F: Future<Output = Called<T>> + Send + 'static>(
        &self,
        timeout_ms: i64,
        cancel: Option<&Cancel>,
        call: impl FnOnce(automatic_rostering::Client) -> F + Send + 'static,
    ) -> Result<T> {
        let limit = u64::try_from(timeout_ms).ok().map(Duration::from_millis);
        let client = if timeout_ms == 0 { self.client.clone() } else { self.client.with_timeout(limit) };
        // Made on the library's thread, as it takes tens of kilobytes of a stack.
        self.shared.run(cancel, async move { Ok(Box::pin(call(client)).await?) })
    }
}

/// Opens a client, which checks the config and sends nothing. Free the config afterward if you do not need it.
#[no_mangle]
pub extern "C" fn rostering_client_open(config: Option<&Config>, error: *mut *mut Error) -> Option<Box<Client>> {
    make(error, || {
        let config = given(config, "config")?;
        let shared = Shared::start(Dispatch::new(config.logger))?;
        let (config, options) = (config.config.clone(), config.options());
        let open = async move {
            let options = automatic_rostering::Options::in_c(options, Handle::current(), "as ca_file");
            Ok(automatic_rostering::Client::open(&config, options).await?)
        };
        Ok(Client { client: shared.run(None, open)?, shared: Arc::new(shared) })
    })
}

/// Returns a view: the same client and token, whose calls send this id, and not the config's. key is customer_id or user_id.
/// NULL as the id sends no such header. A view of a view has both ids. Views are cheap; free them before or after the client.
#[no_mangle]
pub extern "C" fn rostering_client_view(
    client: Option<&Client>,
    key: *const c_char,
    id: *const c_char,
    error: *mut *mut Error,
) -> Option<Box<Client>> {
    make(error, || {
        let Client { client, shared } = given(client, "client")?;
        let view = match (required("key", key)?, optional("id", id)?) {
            ("customer_id", id) => client.for_customer(id),
            ("user_id", id) => client.for_user(id),
            _ => return Err(Error::invalid("key", "key must be customer_id or user_id")),
        };
        Ok(Client { client: view, shared: shared.clone() })
    })
}

/// Returns a view whose calls also send this header, in place of the client's of that name, such as traceparent.
#[no_mangle]
pub extern "C" fn rostering_client_with_header(
    client: Option<&Client>,
    name: *const c_char,
    value: *const c_char,
    error: *mut *mut Error,
) -> Option<Box<Client>> {
    make(error, || {
        let Client { client, shared } = given(client, "client")?;
        let view = client.with_headers([(required("name", name)?, required("value", value)?)]);
        Ok(Client { client: view, shared: shared.clone() })
    })
}

/// Closes a client with all its views: later calls fail with closed. For a view, it does nothing. Waits up to timeout_ms
/// for the calls in progress; those that remain fail with closed, too. 0 does not wait for them. A token request for which
/// no call waits is abandoned, but what is being written to the store is waited for, two seconds at most.
#[no_mangle]
pub extern "C" fn rostering_client_close(client: Option<&Client>, timeout_ms: i64) {
    run(std::ptr::null_mut(), || {
        let client = given(client, "client")?;
        let limit = u64::try_from(timeout_ms).map_or(Duration::MAX, Duration::from_millis);
        let own = client.client.clone();
        client.shared.run(None, async move {
            own.close_within(limit).await;
            Ok(())
        })
    });
}

/// Frees a client or a view. Freeing the last of them closes the client without waiting, and ends its threads; only one
/// that is in a name lookup or in a callback after a second may end later.
#[no_mangle]
pub extern "C" fn rostering_client_free(client: Option<Box<Client>>) {
    run(std::ptr::null_mut(), || {
        match client {
            // Its threads, which may have held locks, do not exist here.
            Some(client) if client.shared.process != process::id() => mem::forget(client),
            client => drop(client),
        }
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
    make(error, || {
        let client = given(client, "client")?;
        client.call(timeout_ms, cancel, |client| async move { client.list_jobs().await }).map(Into::into)
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
    make(error, || {
        let (client, request) = (given(client, "client")?, given(request, "request")?);
        let request = request.0.clone();
        client.call(timeout_ms, cancel, move |client| async move { client.send_request(request).await }).map(Into::into)
    })
}

/// An access token, for requests that you send yourself, or for another client. It is a secret.
pub struct Token {
    access_token: CString,
    json: CString,
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
    make(error, || {
        let (client, refused) = (given(client, "client")?, optional("refused", refused)?);
        if force && refused.is_some() {
            return Err(Error::invalid("refused", "set force or refused, not both"));
        }
        let refused = refused.map(String::from);
        let get = move |client: automatic_rostering::Client| async move {
            match refused {
                Some(refused) => client.replace_token(&refused).await,
                None if force => client.get_new_token().await,
                None => client.get_token().await,
            }
        };
        let token = client.call(timeout_ms, cancel, get)?;
        Ok(Token { access_token: c_string(token.access_token.expose()), json: c_string(&json!(token).to_string()) })
    })
}

#[no_mangle]
pub extern "C" fn rostering_token_free(token: Option<Box<Token>>) {
    drop(token);
}

/// Returns the token itself, for the header Authorization: Bearer.
#[no_mangle]
pub extern "C" fn rostering_token_access_token(token: Option<&Token>) -> *const c_char {
    pointer(token.map(|token| &token.access_token))
}

/// Returns the token as JSON, for rostering_set_token: access_token, token_type, expires_at (Unix seconds), and cache_key, which names
/// whose token it is.
#[no_mangle]
pub extern "C" fn rostering_token_json(token: Option<&Token>) -> *const c_char {
    pointer(token.map(|token| &token.json))
}

/// Caches a token that another client with the same config got, in JSON.
#[no_mangle]
pub extern "C" fn rostering_set_token(client: Option<&Client>, token: *const c_char, error: *mut *mut Error) -> bool {
    run(error, || {
        let (client, token) = (given(client, "client")?, required("token", token)?);
        let token = automatic_rostering::Token::from_json(token)?;
        client.call(0, None, move |client| async move { client.set_token(&token).await.map(|()| true) })
    })
}

/// Forgets the token and the backoff after failed token requests.
#[no_mangle]
pub extern "C" fn rostering_clear_token(client: Option<&Client>, error: *mut *mut Error) -> bool {
    run(error, || {
        let client = given(client, "client")?;
        client.call(0, None, |client| async move { client.clear_token().await.map(|()| true) })
    })
}

/// Changes the client's secret, for its views, too. The next token request uses it, and a backoff after token_endpoint_rejected
/// ends; the token stays. If the secret is invalid, the client keeps the old one.
#[no_mangle]
pub extern "C" fn rostering_set_secret(
    client: Option<&Client>,
    client_secret: *const c_char,
    error: *mut *mut Error,
) -> bool {
    run(error, || {
        let (client, secret) = (given(client, "client")?, required("client_secret", client_secret)?);
        let secret = secret.to_owned();
        client.call(0, None, move |client| async move { client.set_secret(secret).await.map(|()| true) })
    })
}

/// Returns what the client has done since it opened, and what it holds, as JSON, to be freed with rostering_text_free:
/// token_expires_at, renew_at, retry_at (Unix seconds) and error (code and message of that backoff), if there is such a
/// time; renewing; calls, failed_calls (a number for each code), service_requests, token_requests, failed_token_requests,
/// refused_tokens, store_failures. It sends nothing and does not wait. A closed client returns its last numbers.
#[no_mangle]
pub extern "C" fn rostering_client_status(client: Option<&Client>, error: *mut *mut Error) -> *mut c_char {
    let status = make(error, || {
        let status = given(client, "client")?.call(0, None, |client| async move { Ok(client.status()) })?;
        Ok(c_string(&json!(status).to_string()))
    });
    status.map_or(std::ptr::null_mut(), |status| status.into_raw())
}

/// How often the client has called the plugin, for the library's own tests.
///
/// cbindgen:ignore
#[no_mangle]
pub extern "C" fn _rostering_plugin_calls(client: Option<&Client>) -> u64 {
    client.map_or(0, |client| client.client.plugin_calls())
}

/// Frees a text that rostering_client_status returned.
#[no_mangle]
pub unsafe extern "C" fn rostering_text_free(text: *mut c_char) {
    drop((!text.is_null()).then(|| CString::from_raw(text)));
}
