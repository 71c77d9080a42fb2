//! How to reach the service, as whom, and how a client works.

use std::ffi::{c_char, c_void};
use std::fs;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use automatic_rostering::reqwest::{Certificate, ClientBuilder, Identity, Proxy};
use automatic_rostering::rustls::crypto::ring;
use automatic_rostering::Options;

use crate::error::Error;
use crate::log::{Log, Logger};
use crate::store::Store;
use crate::{given, make, required, run, Result};

/// How to reach the service, as whom, and how a client works. rostering_client_open copies it.
#[derive(Default)]
pub struct Config {
    pub config: automatic_rostering::Config,
    pub logger: Logger,
    options: Options,
    user_agent: Option<String>,
    headers: Vec<(String, String)>,
    http: Vec<Setting>,
}

/// Returns the time in Unix seconds.
pub type Clock = Option<unsafe extern "C" fn(context: *mut c_void) -> i64>;

/// The context of a callback. The header requires that any thread may use it.
#[derive(Clone, Copy)]
pub struct Context(pub *mut c_void);
unsafe impl Send for Context {}
unsafe impl Sync for Context {}

/// A setting of the HTTP client.
type Setting = Arc<dyn Fn(ClientBuilder) -> ClientBuilder + Send + Sync>;

impl Config {
    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let wrong = |expected: &str| Error::config(key, &format!("{key} must be {expected}"));
        let options = self.options.clone();
        match key {
            "timeout_ms" => {
                let ms = value.parse().ok().filter(|&ms: &i64| ms != 0);
                let ms = ms.ok_or_else(|| wrong("an integer (milliseconds), or -1 for no limit"))?;
                self.options = options.timeout(u64::try_from(ms).ok().map(Duration::from_millis));
            }
            "max_body" => self.options = options.max_body(value.parse().map_err(|_| wrong("an integer (bytes)"))?),
            "plugin_file" => self.options = options.wasm(file(key, value)?),
            "ca_file" => {
                let all = Certificate::from_pem_bundle(&file(key, value)?).unwrap_or_default();
                if all.is_empty() {
                    return Err(wrong("a file with certificates in PEM"));
                }
                self.http.push(Arc::new(move |http| http.tls_certs_merge(all.clone())));
            }
            "client_certificate_file" => {
                let identity = Identity::from_pem(&file(key, value)?);
                let identity = identity.map_err(|_| wrong("a file with a certificate and its key in PEM"))?;
                self.http.push(Arc::new(move |http| http.identity(identity.clone())));
            }
            "proxy" => {
                let proxy = Proxy::all(value).map_err(|_| wrong("a URL"))?;
                self.http.push(Arc::new(move |http| http.proxy(proxy.clone())));
            }
            "user_agent" => self.user_agent = Some(value.into()),
            _ => self.config.set(key, value)?,
        }
        Ok(())
    }

    /// Returns the options of the crate.
    pub fn options(&self) -> Options {
        let own = concat!("automatic-rostering/", env!("CARGO_PKG_VERSION"), " (c)");
        let options = self.options.clone().headers(self.headers.clone());
        let (http, options) = (self.http.clone(), options.user_agent(self.user_agent.as_deref().unwrap_or(own)));
        if http.is_empty() {
            return options;
        }
        let _ = ring::default_provider().install_default(); // this library links its own copy of rustls
        options.http(move |own| http.iter().fold(own, |own, setting| setting(own)))
    }
}

fn file(key: &str, path: &str) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Error::config(key, &format!("cannot read {key} {path}: {error}")))
}

/// Makes an empty config.
#[no_mangle]
pub extern "C" fn rostering_config_new() -> Option<Box<Config>> {
    Some(Box::default())
}

/// Makes a config of the variables ROSTERING_AUTH_URL, ROSTERING_BASE_URL and so on; an empty one counts as unset. In place of the
/// secret, ROSTERING_CLIENT_SECRET_FILE may name a file that has it.
#[no_mangle]
pub extern "C" fn rostering_config_from_env(error: *mut *mut Error) -> Option<Box<Config>> {
    make(error, || Ok(Config { config: automatic_rostering::Config::from_env()?, ..Config::default() }))
}

#[no_mangle]
pub extern "C" fn rostering_config_free(config: Option<Box<Config>>) {
    drop(config);
}

/// Sets a key of the config, or an option:
///
/// - a key of the config, such as auth_url: see its documentation; opening the client checks the value;
/// - timeout_ms: limits each call with all its requests and waits; default: 30000; -1 is no limit;
/// - max_body: limits the body of a response, in bytes; default: 64 MiB; a longer one is a network_error, not retryable;
/// - ca_file: certificates of authorities in PEM, in addition to those that the machine trusts;
/// - client_certificate_file: a certificate of the client and its key, in PEM;
/// - proxy: the URL of a proxy for all requests; by default those of the environment are used, but not for loopback;
/// - user_agent: the header User-Agent;
/// - plugin_file: another build of the plugin, of the same contract, in place of the one in this library.
#[no_mangle]
pub extern "C" fn rostering_config_set(
    config: Option<&mut Config>,
    key: *const c_char,
    value: *const c_char,
    error: *mut *mut Error,
) -> bool {
    run(error, || {
        let (config, key) = (given(config, "config")?, required("key", key)?);
        config.set(key, required(key, value)?).map(|()| true)
    })
}

/// Sends a header with each request to the service, in addition to those that the plugin sets. A call's header of that name
/// replaces it.
#[no_mangle]
pub extern "C" fn rostering_config_set_header(
    config: Option<&mut Config>,
    name: *const c_char,
    value: *const c_char,
    error: *mut *mut Error,
) -> bool {
    run(error, || {
        let header = (required("name", name)?.into(), required("value", value)?.into());
        given(config, "config")?.headers.push(header);
        Ok(true)
    })
}

/// Shares the token through a store, which you may free once the client is open.
#[no_mangle]
pub extern "C" fn rostering_config_set_store(config: Option<&mut Config>, store: Option<&Store>) {
    if let (Some(config), Some(store)) = (config, store) {
        config.options = config.options.clone().store(store.0.clone());
    }
}

/// Calls a function with each line of the log, which contains neither the secret nor a token. The context must live until
/// the client is freed.
#[no_mangle]
pub extern "C" fn rostering_config_set_log(config: Option<&mut Config>, log: Log, context: *mut c_void) {
    if let Some(config) = config {
        config.logger = Logger(log.map(|log| (log, Context(context))));
    }
}

/// Replaces the system's clock as the one by which tokens expire, for tests of your code; timeouts keep to real time. The
/// function is called on any thread and concurrently. The context must live until the client is freed.
#[no_mangle]
pub extern "C" fn rostering_config_set_clock(config: Option<&mut Config>, clock: Clock, context: *mut c_void) {
    if let (Some(config), Some(clock), context) = (config, clock, Context(context)) {
        config.options = config.options.clone().clock(move || {
            let context = context; // all of it
            let seconds = unsafe { clock(context.0) };
            UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
        });
    }
}
