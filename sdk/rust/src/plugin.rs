use std::sync::Mutex;

use extism::{Manifest, PluginBuilder};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::kept::Kept;
use crate::log::with_log;
use crate::step::First;
use crate::{CONTRACT, CallError, Error, lock};

const NOT_LOADED: &str = "the plugin does not load; if you set Options::wasm, check that file";

/// An instance of the plugin, until it is closed. It runs one call at a time, each in a fraction of a millisecond: its own
/// thread would cost more.
pub struct Plugin {
    instance: Mutex<Option<extism::Plugin>>,
    pub kept: Kept,
}

impl Plugin {
    /// Loads the plugin and has it check its config. Takes seconds if the plugin has to be compiled.
    pub fn open(manifest: Manifest) -> Result<Self, Error> {
        let builder = with_log(PluginBuilder::new(manifest));
        // The SDK keeps what it compiled in the user's cache folder, and fails if it cannot create that folder, as in many
        // containers.
        let plugin = builder.clone().build().or_else(|_| builder.with_cache_disabled().build());
        let mut plugin = plugin.map_err(|error| Error::open(NOT_LOADED, error))?;
        let found = match version(&mut plugin) {
            Ok(CONTRACT) => {
                plugin.call_get_error_code::<_, ()>("check", ()).map_err(|(error, status)| explain(error, status))?;
                return Ok(Self { instance: Mutex::new(Some(plugin)), kept: Kept::default() });
            }
            Ok(contract) => format!("the plugin has contract {contract}"),
            Err(error) => format!("the plugin does not report its contract ({error})"),
        };
        let message = format!("{found}, and this library needs {CONTRACT}: use the library from the plugin's release");
        Err(Error::Open(message.into()))
    }

    /// Calls an export that may change the plugin's state.
    pub fn call(&self, export: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
        self.invoke(export, input, true).map(|(output, _)| output)
    }

    /// Begins a call, and keeps its first step if that is allowed.
    pub fn begin(&self, input: &[u8], key: String) -> Result<First, Error> {
        // The key is JSON, where no string has unescaped quotes. A header of that name only drops the steps needlessly.
        let (output, generation) = self.invoke("begin", input, key.contains(r#""refused":"#))?;
        let first: First = decode(&output)?;
        if first.until > 0 {
            self.kept.keep(key, &first.step, first.until, generation);
        }
        Ok(first)
    }

    /// Calls an export. Also returns the generation of the kept steps before the call.
    fn invoke(&self, export: &str, input: &[u8], changes: bool) -> Result<(Vec<u8>, u64), Error> {
        let mut plugin = lock(&self.instance);
        let plugin = plugin.as_mut().ok_or(Error::Closed)?;
        let generation = self.kept.generation(changes);
        let output = plugin.call_get_error_code(export, input).map_err(|(error, status)| explain(error, status))?;
        Ok((output, generation))
    }

    /// Frees the instance.
    pub fn close(&self) {
        drop(lock(&self.instance).take());
    }
}

/// Reads a step.
pub fn decode<T: DeserializeOwned>(output: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(output).map_err(|_| Error::Failed("the plugin returned an unknown step".into()))
}

/// Returns the version of the plugin's contract.
fn version(plugin: &mut extism::Plugin) -> Result<u64, extism::Error> {
    #[derive(Deserialize)]
    struct Version {
        contract: u64,
    }
    let output: Vec<u8> = plugin.call("version", ())?;
    Ok(serde_json::from_slice::<Version>(&output)?.contract)
}

/// Status 1 is the plugin's own error; others are the SDK's.
fn explain(error: extism::Error, status: i32) -> Error {
    match serde_json::from_str::<CallError>(&error.to_string()) {
        Ok(own) if status == 1 => own.into(),
        _ => Error::Failed(error.into()),
    }
}
