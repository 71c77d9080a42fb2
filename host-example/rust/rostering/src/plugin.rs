use extism::{Manifest, Plugin, PluginBuilder};

use crate::Error;

const EXPORTS: [&str; 7] =
    ["get_token", "list_jobs", "send_request", "set_token", "clear_token", "begin", "resume"];

/// Makes an instance of the plugin.
pub(crate) fn instance(manifest: Manifest) -> Result<Plugin, Error> {
    let builder = PluginBuilder::new(manifest).with_wasi(true);
    // The SDK keeps what it compiled in the user's cache folder, and fails where it cannot make
    // that, as in many containers.
    let plugin = builder
        .clone()
        .build()
        .or_else(|_| builder.with_cache_disabled().build())
        .map_err(|error| Error::Load(error.into()))?;
    match EXPORTS.iter().find(|export| !plugin.function_exists(export)) {
        Some(missing) => Err(Error::Load(format!("it has no {missing}").into())),
        None => Ok(plugin),
    }
}
