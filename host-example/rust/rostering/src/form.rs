use std::fmt;

use serde_json::{Map, Value};

use crate::Error;

/// Who sends the requests of a client's calls.
pub(crate) trait Form: fmt::Debug + Send + Sync {
    /// Makes a call that sends requests.
    fn call(&self, call: &str, input: Map<String, Value>) -> Result<Vec<u8>, Error>;

    /// Calls an export that sends none.
    fn tell(&self, export: &str, input: &str) -> Result<(), Error>;
}
