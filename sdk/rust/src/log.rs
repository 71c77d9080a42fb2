//! The plugin's log lines, as events of `tracing`.

use extism::{CurrentPlugin, Error, PTR, PluginBuilder, UserData, Val};
use tracing::{debug, warn};

/// Replaces two functions of the SDK, which would log with the target `extism::pdk`, as for all plugins. The plugin has no
/// lines of other levels.
pub fn with_log(builder: PluginBuilder) -> PluginBuilder {
    let env = "extism:host/env";
    builder
        .with_function_in_namespace(env, "log_debug", [PTR], [], UserData::new(()), |plugin, input, _, _| {
            debug!(target: "automatic_rostering", "{}", read(plugin, input)?);
            Ok(())
        })
        .with_function_in_namespace(env, "log_warn", [PTR], [], UserData::new(()), |plugin, input, _, _| {
            warn!(target: "automatic_rostering", "{}", read(plugin, input)?);
            Ok(())
        })
}

/// Reads a line and frees its memory, as the SDK does.
fn read(plugin: &mut CurrentPlugin, input: &[Val]) -> Result<String, Error> {
    let Some(handle) = input.first().and_then(|offset| plugin.memory_from_val(offset)) else {
        return Ok(String::new());
    };
    let line = String::from_utf8_lossy(plugin.memory_bytes(handle)?).into_owned();
    plugin.memory_free(handle)?;
    Ok(line)
}
