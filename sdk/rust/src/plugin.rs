use std::sync::Mutex;

use extism::{Manifest, PluginBuilder};
use serde::Deserialize;

use crate::log::with_log;
use crate::{CONTRACT, CallError, Error, lock};

/// An instance of the plugin, until it is closed. It makes one call at a time, each in a fraction of a millisecond: a
/// thread of its own would cost more.
pub struct Plugin(Mutex<Option<extism::Plugin>>);

impl Plugin {
    /// Loads the plugin, and has it check its config. It may take seconds, if the plugin has to be compiled.
    pub fn open(manifest: Manifest) -> Result<Self, Error> {
        let builder = with_log(PluginBuilder::new(manifest));
        // The SDK keeps what it compiled in the user's cache folder, and fails where it cannot create that
        // folder, as in many containers.
        let plugin = builder.clone().build().or_else(|_| builder.with_cache_disabled().build());
        let mut plugin = plugin.map_err(|error| Error::Open(error.into()))?;
        let found = match version(&mut plugin) {
            Ok(CONTRACT) => {
                plugin.call_get_error_code::<_, ()>("check", ()).map_err(|(error, status)| explain(error, status))?;
                return Ok(Self(Mutex::new(Some(plugin))));
            }
            Ok(contract) => format!("the plugin has contract {contract}"),
            Err(error) => format!("the plugin does not report its contract ({error})"),
        };
        let message = format!("{found}, and this library needs {CONTRACT}: use the library from the plugin's release");
        Err(Error::Open(message.into()))
    }

    pub fn call(&self, export: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
        let mut plugin = lock(&self.0);
        let plugin = plugin.as_mut().ok_or(Error::Closed)?;
        plugin.call_get_error_code(export, input).map_err(|(error, status)| explain(error, status))
    }

    /// Frees it.
    pub fn close(&self) {
        drop(lock(&self.0).take());
    }
}

/// The plugin's contract.
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
