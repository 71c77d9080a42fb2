use std::sync::mpsc;
use std::thread;

use extism::{Manifest, PluginBuilder};
use serde::Deserialize;
use tokio::sync::{oneshot, watch};
use tracing::Span;

use crate::log::with_log;
use crate::{CONTRACT, CallError, Error};

/// An instance of the plugin. It makes one call at a time, on a thread of its own, so that it blocks no async code. The
/// thread ends when the last clone is dropped.
#[derive(Clone)]
pub struct Plugin(mpsc::Sender<Call>);

struct Call {
    export: String,
    input: Vec<u8>,
    output: oneshot::Sender<Result<Vec<u8>, Error>>,
    /// The caller's, for the log.
    span: Span,
}

impl Plugin {
    /// Also returns a channel that closes when the instance is freed.
    pub async fn open(manifest: Manifest) -> Result<(Self, watch::Receiver<()>), Error> {
        let (sender, calls) = mpsc::channel::<Call>();
        let (opened, opening) = oneshot::channel();
        let (alive, freed) = watch::channel(());
        let run = move || {
            let _dropped_last = alive;
            let mut plugin = match instance(manifest) {
                Ok(plugin) => plugin,
                Err(error) => return drop(opened.send(Err(error))),
            };
            let _ = opened.send(Ok(()));
            for Call { export, input, output, span } in calls {
                let result = span.in_scope(|| plugin.call_get_error_code::<_, Vec<u8>>(export, input));
                let _ = output.send(result.map_err(|(error, status)| explain(error, status)));
            }
        };
        let thread = thread::Builder::new().name("rostering-plugin".into());
        thread.spawn(run).map_err(|error| Error::Open(error.into()))?;
        opening.await.unwrap_or_else(|error| Err(Error::Open(error.into())))?;
        Ok((Self(sender), freed))
    }

    /// Calls an export. The call is made even if the caller leaves.
    pub async fn call(&self, export: &str, input: Vec<u8>) -> Result<Vec<u8>, Error> {
        let (output, result) = oneshot::channel();
        let _ = self.0.send(Call { export: export.into(), input, output, span: Span::current() });
        result.await.unwrap_or_else(|error| Err(Error::Failed(error.into())))
    }
}

/// Loads the plugin, and has it check its config.
fn instance(manifest: Manifest) -> Result<extism::Plugin, Error> {
    let builder = with_log(PluginBuilder::new(manifest));
    // The SDK keeps what it compiled in the user's cache folder, and fails where it cannot create that
    // folder, as in many containers.
    let plugin = builder.clone().build().or_else(|_| builder.with_cache_disabled().build());
    let mut plugin = plugin.map_err(|error| Error::Open(error.into()))?;
    let found = match version(&mut plugin) {
        Ok(CONTRACT) => {
            let checked = plugin.call_get_error_code::<_, ()>("check", ());
            return checked.map(|()| plugin).map_err(|(error, status)| explain(error, status));
        }
        Ok(contract) => format!("the plugin has contract {contract}"),
        Err(error) => format!("the plugin does not report its contract ({error})"),
    };
    let message = format!("{found}, and this library needs {CONTRACT}: use the library from the plugin's release");
    Err(Error::Open(message.into()))
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
        Ok(own) if status == 1 => Box::new(own).into(),
        _ => Error::Failed(error.into()),
    }
}
