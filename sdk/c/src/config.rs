//! How to reach the service, as whom, and how a client works.

use std::ffi::{c_char, c_void};
use std::fs;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use automatic_rostering::reqwest::{Certificate, ClientBuilder, Identity, Proxy};
use automatic_rostering::Options;

use crate::error::Error;
use crate::log::{Log, Logger};
use crate::store::Store;
use crate::text::required;
use crate::{run, timeout, Result};

/// How to reach the service, as whom, and how a client works. rostering_client_open copies it.
pub struct Config {
    pub config: automatic_rostering::Config,
    pub logger: Logger,
    timeout_ms: i64,
    max_body: Option<usize>,
    store: Option<Arc<dyn automatic_rostering::Store>>,
    clock: Option<Timepiece>,
    plugin: Option<Vec<u8>>,
    http: Http,
}

/// Returns the time in Unix seconds.
pub type Clock = Option<unsafe extern "C" fn(context: *mut c_void) -> i64>;

/// A clock with what it gets.
#[derive(Clone, Copy)]
struct Timepiece {
    clock: unsafe extern "C" fn(*mut c_void) -> i64,
    context: *mut c_void,
}

// The header requires a function that any thread may call with its context.
unsafe impl Send for Timepiece {}
unsafe impl Sync for Timepiece {}

impl Timepiece {
    fn now(&self) -> SystemTime {
        let seconds = unsafe { (self.clock)(self.context) };
        UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
    }
}

/// The options of the HTTP client.
#[derive(Clone, Default)]
struct Http {
    ca: Vec<Certificate>,
    certificate: Vec<u8>,
    key: Vec<u8>,
    proxy: Option<Proxy>,
    user_agent: Option<String>,
}

const KEYS: &str =
    "auth_url, base_url, client_id, client_secret, environment, scope, customer_id, user_id, refresh_margin, \
    allow_http, ca_file, client_certificate_file, client_key_file, proxy, user_agent, plugin_file";

impl Config {
    fn new(config: automatic_rostering::Config) -> Self {
        Self {
            config,
            logger: Logger { log: None, context: std::ptr::null_mut() },
            timeout_ms: 0,
            max_body: None,
            store: None,
            clock: None,
            plugin: None,
            http: Http::default(),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let config = &mut self.config;
        match key {
            "auth_url" => config.auth_url = value.into(),
            "base_url" => config.base_url = value.into(),
            "client_id" => config.client_id = value.into(),
            "client_secret" => config.client_secret = value.into(),
            "environment" => config.environment = parsed(key, value, "stage or production")?,
            "scope" => config.scope = value.into(),
            "customer_id" => config.customer_id = value.into(),
            "user_id" => config.user_id = value.into(),
            "refresh_margin" => config.refresh_margin = parsed(key, value, "a non-negative integer (seconds)")?,
            "allow_http" => config.allow_http = parsed(key, value, "true or false")?.unwrap_or_default(),
            "ca_file" => self.http.ca = certificates(key, value)?,
            "client_certificate_file" => self.http.certificate = file(key, value)?,
            "client_key_file" => self.http.key = file(key, value)?,
            "proxy" => {
                self.http.proxy = Some(Proxy::all(value).map_err(|_| Error::config(key, "proxy must be a URL"))?)
            }
            "user_agent" => self.http.user_agent = Some(value.into()),
            "plugin_file" => self.plugin = Some(file(key, value)?),
            _ => return Err(Error::config(key, &format!("unknown key {key}: use one of {KEYS}"))),
        }
        Ok(())
    }

    /// Returns the options of the crate.
    pub fn options(&self) -> Result<Options> {
        let mut options = Options::default();
        if let Some(timeout) = timeout(self.timeout_ms) {
            options = options.timeout(timeout);
        }
        if let Some(bytes) = self.max_body {
            options = options.max_body(bytes);
        }
        if let Some(store) = &self.store {
            options = options.store(store.clone());
        }
        if let Some(clock) = self.clock {
            options = options.clock(move || clock.now());
        }
        if let Some(plugin) = &self.plugin {
            options = options.wasm(plugin.clone());
        }
        let (http, identity) = (self.http.clone(), self.http.identity()?);
        Ok(options.http(move |builder| http.configure(builder, identity.clone())))
    }
}

impl Http {
    fn identity(&self) -> Result<Option<Identity>> {
        if self.certificate.is_empty() && self.key.is_empty() {
            return Ok(None);
        }
        let both = [&self.certificate[..], b"\n", &self.key[..]].concat();
        let hint = "client_certificate_file and client_key_file must be a certificate and its key in PEM";
        Identity::from_pem(&both).map(Some).map_err(|_| Error::config("client_certificate_file", hint))
    }

    fn configure(&self, builder: ClientBuilder, identity: Option<Identity>) -> ClientBuilder {
        let mut builder = builder.tls_certs_merge(self.ca.clone());
        if let Some(identity) = identity {
            builder = builder.identity(identity);
        }
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(proxy.clone());
        }
        match &self.user_agent {
            Some(user_agent) => builder.user_agent(user_agent),
            None => builder.user_agent(concat!("automatic-rostering/", env!("CARGO_PKG_VERSION"), " (c)")),
        }
    }
}

/// Reads a value; an empty one counts as missing.
fn parsed<T: FromStr>(key: &str, value: &str, expected: &str) -> Result<Option<T>> {
    if value.is_empty() {
        return Ok(None);
    }
    value.parse().map(Some).map_err(|_| Error::config(key, &format!("{key} must be {expected}")))
}

fn file(key: &str, path: &str) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| Error::config(key, &format!("cannot read {key} {path}: {error}")))
}

fn certificates(key: &str, path: &str) -> Result<Vec<Certificate>> {
    let all = Certificate::from_pem_bundle(&file(key, path)?).unwrap_or_default();
    if all.is_empty() {
        return Err(Error::config(key, &format!("{key} {path} has no certificate in PEM")));
    }
    Ok(all)
}

/// Makes an empty config.
#[no_mangle]
pub extern "C" fn rostering_config_new() -> Option<Box<Config>> {
    Some(Box::new(Config::new(automatic_rostering::Config::default())))
}

/// Makes a config of the variables ROSTERING_AUTH_URL, ROSTERING_BASE_URL and so on; an empty one counts as unset.
#[no_mangle]
pub extern "C" fn rostering_config_from_env(error: *mut *mut Error) -> Option<Box<Config>> {
    run(error, || Ok(Some(Box::new(Config::new(automatic_rostering::Config::from_env()?)))))
}

#[no_mangle]
pub extern "C" fn rostering_config_free(config: Option<Box<Config>>) {
    drop(config);
}

/// Sets a key of the config, or an option:
///
/// - auth_url, base_url, client_id, client_secret, environment, scope, customer_id, user_id, refresh_margin, allow_http:
///   see the documentation of the config;
/// - ca_file: certificates of authorities in PEM, in addition to those that the machine trusts;
/// - client_certificate_file, client_key_file: a certificate of the client and its key, in PEM;
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
        let config = config.ok_or_else(|| Error::invalid("config", "config is NULL"))?;
        let key = required("key", key)?;
        let value = required(key, value)?;
        config.set(key, value).map(|()| true)
    })
}

/// Limits each call with all its requests and waits; default: 30 seconds.
#[no_mangle]
pub extern "C" fn rostering_config_set_timeout(config: Option<&mut Config>, timeout_ms: i64) {
    if let Some(config) = config {
        config.timeout_ms = timeout_ms;
    }
}

/// Limits the body of a response, in bytes; default: 64 MiB. A longer one is a network_error that is not retryable.
#[no_mangle]
pub extern "C" fn rostering_config_set_max_body(config: Option<&mut Config>, bytes: usize) {
    if let Some(config) = config {
        config.max_body = Some(bytes);
    }
}

/// Shares the token through a store, which you may free once the client is open.
#[no_mangle]
pub extern "C" fn rostering_config_set_store(config: Option<&mut Config>, store: Option<&Store>) {
    if let Some(config) = config {
        config.store = store.map(|store| store.0.clone());
    }
}

/// Calls a function with each line of the log, which contains neither the secret nor a token. The context must live until
/// the client is freed.
#[no_mangle]
pub extern "C" fn rostering_config_set_log(config: Option<&mut Config>, log: Log, context: *mut c_void) {
    if let Some(config) = config {
        config.logger = Logger { log, context };
    }
}

/// Replaces the system's clock as the one by which tokens expire, for tests of your code; timeouts keep to real time. The
/// function is called on any thread and concurrently. The context must live until the client is freed.
#[no_mangle]
pub extern "C" fn rostering_config_set_clock(config: Option<&mut Config>, clock: Clock, context: *mut c_void) {
    if let Some(config) = config {
        config.clock = clock.map(|clock| Timepiece { clock, context });
    }
}
