use std::collections::BTreeMap;
use std::mem;
use std::sync::Mutex;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracing::{debug, warn};
use wasmi::{Engine, Linker, Module, Store};

use crate::config::variable_of;
use crate::extism_host::{State, define};
use crate::{CONTRACT, Code, Error, lock};

const NOT_LOADED: &str = "the plugin does not load; if you set Options::wasm, check that file";

/// The plugin, until it is closed. It runs one call at a time, each in a fraction of a millisecond: its own thread would
/// cost more.
pub struct Plugin(Mutex<Option<Instance>>);

impl Plugin {
    /// Loads the plugin and has it check its config.
    pub fn open(wasm: &[u8], config: BTreeMap<String, String>) -> Result<Self, Error> {
        let instance = Instance::new(wasm, config).map_err(|error| Error::open(NOT_LOADED, error))?;
        let plugin = Self(Mutex::new(Some(instance)));
        let version = plugin.call("version", &json!({})).and_then(|output| decode::<Value>(&output));
        let contract = version.map_or(Value::Null, |version| version["contract"].clone());
        if contract != CONTRACT {
            let advice = format!("this library needs {CONTRACT}: use the library from the plugin's release");
            return Err(Error::new(Code::PluginFailed, format!("the plugin has contract {contract}, and {advice}")));
        }
        plugin.call("check", &json!({}))?;
        Ok(plugin)
    }

    /// Calls an export.
    pub fn call(&self, export: &str, input: &Value) -> Result<Vec<u8>, Error> {
        self.apply(export, input, |output| output)
    }

    /// Calls an export, and passes its outcome on before the next one runs, so that what the library keeps changes in the
    /// same order as the plugin's state.
    pub fn apply<T>(&self, export: &str, input: &Value, then: impl FnOnce(Result<Vec<u8>, Error>) -> T) -> T {
        let (mut lines, mut locked) = (Vec::new(), lock(&self.0));
        let result = then(locked.as_mut().ok_or_else(Error::closed).and_then(|instance| {
            let output = instance.call(export, input.to_string().as_bytes());
            lines = mem::take(&mut instance.store.data_mut().lines);
            output
        }));
        drop(locked);
        for (warns, line) in lines {
            if warns {
                warn!(target: "automatic_rostering", "{line}");
            } else {
                debug!(target: "automatic_rostering", "{line}");
            }
        }
        result
    }

    /// Frees the instance.
    pub fn close(&self) {
        drop(lock(&self.0).take());
    }
}

/// Reads an output.
pub fn decode<T: DeserializeOwned>(output: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(output).map_err(|_| Error::bug("the plugin returned an unknown output"))
}

/// Reads an error, and adds to one about the config what [`Config::from_env`](crate::Config::from_env) reads it from.
pub fn error_of(output: &[u8]) -> Error {
    let mut error: Error = match decode(output) {
        Ok(error) => error,
        Err(unknown) => return unknown,
    };
    if let (Code::ConfigMissing | Code::ConfigInvalid, Some(key)) = (error.code, &error.key) {
        error.message = format!("{} ({})", error.message, variable_of(key));
    }
    error
}

struct Instance {
    module: Module,
    linker: Linker<State>,
    store: Store<State>,
    instance: wasmi::Instance,
}

impl Instance {
    fn new(wasm: &[u8], config: BTreeMap<String, String>) -> Result<Self, wasmi::Error> {
        let engine = Engine::default();
        let module = Module::new(&engine, wasm)?;
        let mut linker = Linker::new(&engine);
        define(&mut linker)?;
        let (store, instance) = start(&linker, &module, State::new(config))?;
        Ok(Self { module, linker, store, instance })
    }

    /// Calls an export. After a trap, the memory may be in any state: the variables remain, in a new instance.
    fn call(&mut self, export: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
        self.store.data_mut().begin(input);
        let status = self.run(export).or_else(|trap| {
            (self.store, self.instance) = start(&self.linker, &self.module, mem::take(self.store.data_mut()))?;
            Err(trap)
        });
        let status = status.map_err(|trap: wasmi::Error| Error::bug(trap))?;
        let state = self.store.data_mut();
        if status == 0 { Ok(mem::take(&mut state.output)) } else { Err(error_of(&state.error)) }
    }

    fn run(&mut self, export: &str) -> Result<i32, wasmi::Error> {
        self.instance.get_typed_func::<(), i32>(&self.store, export)?.call(&mut self.store, ())
    }
}

fn start(
    linker: &Linker<State>,
    module: &Module,
    state: State,
) -> Result<(Store<State>, wasmi::Instance), wasmi::Error> {
    let mut store = Store::new(linker.engine(), state);
    store.limiter(|state| &mut state.limits);
    let instance = linker.instantiate_and_start(&mut store, module)?;
    Ok((store, instance))
}
