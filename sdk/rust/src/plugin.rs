use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracing::{debug, warn};
use wasmi::Module;

use crate::config::variable_of;
use crate::instance::{Instance, compile};
use crate::{CONTRACT, Code, Error, Options, Problem, Reason, Status, lock};

const NOT_LOADED: &str =
    "the plugin does not load; if you have replaced it, use the rostering-core.wasm of this library's release";

/// The plugin, or its last status after it was closed. It runs one call at a time, each in a fraction of a millisecond: its
/// own thread would cost more.
pub struct Plugin {
    instance: Mutex<Result<Instance, Status>>,
    /// How often it ran, for tests: a warm call does without it.
    pub calls: AtomicU64,
    /// What sets a certificate authority.
    ca_setting: &'static str,
}

impl Plugin {
    /// Loads the plugin and has it check its config.
    pub fn open(options: &Options, config: &BTreeMap<String, String>) -> Result<Self, Error> {
        let wasm = options.wasm.as_deref();
        let compiled = wasm.map_or_else(|| EMBEDDED.clone(), |wasm| compile(wasm).map_err(Arc::new));
        let instance = compiled.and_then(|module| Instance::new(&module).map_err(Arc::new));
        let instance = instance.map_err(|error| Error::open(NOT_LOADED, error))?;
        let plugin =
            Self { instance: Mutex::new(Ok(instance)), calls: AtomicU64::new(0), ca_setting: options.ca_setting };
        let version = plugin.call("version", &json!({})).map_err(|error| Error::open(NOT_LOADED, error))?;
        let contract = decode::<Value>(&version).map_or(Value::Null, |version| version["contract"].clone());
        if contract != CONTRACT {
            let advice = format!("this library needs {CONTRACT}: use the library from the plugin's release");
            return Err(Error::new(Code::PluginFailed, format!("the plugin has contract {contract}, and {advice}")));
        }
        plugin.configure(config)?;
        Ok(plugin)
    }

    /// Calls an export.
    pub fn call(&self, export: &str, input: &Value) -> Result<Vec<u8>, Error> {
        self.apply(export, input, |output| output)
    }

    /// Calls an export, and passes its outcome on before the next one runs, so that what the library keeps changes in the
    /// same order as the plugin's state.
    pub fn apply<T>(&self, export: &str, input: &Value, then: impl FnOnce(Result<Vec<u8>, Error>) -> T) -> T {
        self.locked(|instance, log| then(instance.and_then(|instance| self.run(instance, export, input, log))))
    }

    /// Sets keys of the config, unless the plugin rejects one.
    pub fn configure(&self, keys: &BTreeMap<String, String>) -> Result<(), Error> {
        self.locked(|instance, log| {
            let instance = instance?;
            let before = instance.state.clone();
            let mut call = |export, input| self.run(instance, export, &input, log);
            let checked = call("configure", json!(keys)).and_then(|_| call("check", json!({})));
            if checked.is_err() {
                instance.state = before;
            }
            checked.map(drop)
        })
    }

    /// Does something with the instance, and then logs its lines: a log handler may call the client.
    fn locked<T>(&self, f: impl FnOnce(Result<&mut Instance, Error>, &mut Vec<u8>) -> T) -> T {
        let mut log = Vec::new();
        let result = f(lock(&self.instance).as_mut().map_err(|_| Error::closed()), &mut log);
        for line in String::from_utf8_lossy(&log).lines() {
            match line.split_at_checked(1) {
                Some(("w", line)) => warn!(target: "automatic_rostering", "{line}"),
                Some((_, line)) => debug!(target: "automatic_rostering", "{line}"),
                None => {}
            }
        }
        result
    }

    fn run(&self, plugin: &mut Instance, export: &str, input: &Value, log: &mut Vec<u8>) -> Result<Vec<u8>, Error> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut returned = plugin.call(export, input.to_string().as_bytes()).map_err(Error::bug)?;
        log.append(&mut returned.log);
        returned.output.map_err(|error| self.error(&error))
    }

    /// Reads an error, and adds the names that its reader knows: of the variables of [`Config::from_env`](crate::Config::from_env),
    /// and of what sets a certificate authority.
    pub fn error(&self, output: &[u8]) -> Error {
        let mut error: Error = decode(output).unwrap_or_else(|unknown| unknown);
        if !error.problems.is_empty() {
            let named = |problem: &Problem| format!("{} ({})", problem.message, variable_of(&problem.key));
            error.message = error.problems.iter().map(named).collect::<Vec<_>>().join("; ");
        }
        if error.reason == Some(Reason::TlsCertificate) {
            let advice = format!("; if a private CA issued the certificate, set that CA {}", self.ca_setting);
            error.message.push_str(&advice);
        }
        error
    }

    /// Returns the part of the status that the plugin knows.
    pub fn status(&self, now: u64) -> Status {
        let status = self.call("status", &json!({ "now": now })).and_then(|output| decode(&output));
        status.unwrap_or_else(|_| lock(&self.instance).as_ref().err().cloned().unwrap_or_default())
    }

    /// Frees the instance.
    pub fn close(&self, now: u64) {
        let last = self.status(now);
        *lock(&self.instance) = Err(last);
    }
}

/// Reads an output.
pub fn decode<T: DeserializeOwned>(output: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(output).map_err(|_| Error::bug("the plugin returned an unknown output"))
}

/// The embedded plugin, which is compiled once and kept for the process.
static EMBEDDED: LazyLock<Result<Module, Arc<wasmi::Error>>> =
    LazyLock::new(|| compile(include_bytes!("../rostering-core.wasm")).map_err(Arc::new));
