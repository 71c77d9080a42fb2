use std::time::Duration;

use extism::convert::Json;
use extism::{Plugin, ToBytes};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::Error;
use crate::form::Form;
use crate::trap::explain;

/// The plugin sends its requests itself, through the SDK.
#[derive(Debug)]
pub(crate) struct Direct {
    /// An instance does one call at a time.
    plugin: Mutex<Plugin>,
    timeout: Option<Duration>,
}

impl Direct {
    pub(crate) fn new(plugin: Plugin, timeout: Option<Duration>) -> Self {
        Self { plugin: Mutex::new(plugin), timeout }
    }

    fn export<'a>(&self, export: &str, input: impl ToBytes<'a>) -> Result<Vec<u8>, Error> {
        let result = self.plugin.lock().call_get_error_code(export, input);
        result.map_err(|(error, status)| explain(error, status, self.timeout))
    }
}

impl Form for Direct {
    fn call(&self, call: &str, input: Map<String, Value>) -> Result<Vec<u8>, Error> {
        self.export(call, Json(input))
    }

    fn tell(&self, export: &str, input: &str) -> Result<(), Error> {
        self.export(export, input).map(drop)
    }
}
