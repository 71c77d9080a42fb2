use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use extism::convert::Json;
use extism::{FromBytesOwned, Plugin, PluginBuilder};
use serde::Serialize;

use crate::trap::explain;
use crate::{Config, Error, Ids, Token};

/// One instance of the plugin, and the token in it.
///
/// Share it, in a `static`, an `Arc` or by reference: any number of threads may use it, and take
/// turns, because an instance does one call at a time. It sends nothing before its first call.
#[derive(Debug)]
pub struct Rostering {
    plugin: Mutex<Plugin>,
    timeout: Option<Duration>,
}

impl Rostering {
    /// Makes an instance of the plugin in a file.
    ///
    /// # Errors
    /// [`Error::Read`] and [`Error::Load`].
    pub fn open(file: impl AsRef<Path>, config: &Config) -> Result<Self, Error> {
        let path = file.as_ref();
        match fs::read(path) {
            Ok(wasm) => Self::load(wasm, config),
            Err(source) => Err(Error::Read { path: path.into(), source }),
        }
    }

    /// Makes an instance of the plugin from what is in its file, as `include_bytes!` gives it.
    ///
    /// # Errors
    /// [`Error::Load`].
    pub fn load(wasm: impl Into<Vec<u8>>, config: &Config) -> Result<Self, Error> {
        let builder = PluginBuilder::new(config.manifest(wasm.into())).with_wasi(true);
        // The SDK keeps what it compiled in the user's cache folder, and fails where it cannot make
        // that, as in many containers.
        let plugin = builder
            .clone()
            .build()
            .or_else(|_| builder.with_cache_disabled().build())
            .map_err(|error| Error::Load(error.into()))?;
        for export in ["get_token", "list_jobs"] {
            if !plugin.function_exists(export) {
                return Err(Error::Load(format!("it has no {export}").into()));
            }
        }
        Ok(Self { plugin: Mutex::new(plugin), timeout: config.timeout })
    }

    /// Gives the service's answer, byte for byte.
    ///
    /// # Errors
    /// [`Error::Call`], and [`Error::Plugin`] for what should not happen.
    pub fn list_jobs(&self) -> Result<Vec<u8>, Error> {
        self.list_jobs_of(&Ids::default())
    }

    /// Gives the service's answer for other ids than the config's.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn list_jobs_of(&self, ids: &Ids) -> Result<Vec<u8>, Error> {
        self.call("list_jobs", ids)
    }

    /// Gives the token that the plugin has, or a new one.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn get_token(&self) -> Result<Token, Error> {
        self.token(false)
    }

    /// Gives a new token. If that fails, the plugin keeps the one that it has.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn get_new_token(&self) -> Result<Token, Error> {
        self.token(true)
    }

    fn token(&self, force: bool) -> Result<Token, Error> {
        let Json(token) = self.call("get_token", &TokenInput { force })?;
        Ok(token)
    }

    fn call<T: FromBytesOwned>(&self, export: &str, input: &impl Serialize) -> Result<T, Error> {
        // After a panic in a call, the SDK itself refuses the instance.
        let mut plugin = self.plugin.lock().unwrap_or_else(PoisonError::into_inner);
        plugin
            .call_get_error_code(export, Json(input))
            .map_err(|(error, status)| explain(error, status, self.timeout))
    }
}

#[derive(Serialize)]
struct TokenInput {
    force: bool,
}
