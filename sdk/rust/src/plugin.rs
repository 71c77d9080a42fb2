use std::collections::BTreeMap;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tracing::{debug, warn};
use wasmi::{Engine, Linker, Module, Store};

use crate::config::{variable_of, variables_in};
use crate::extism_host::{State, define};
use crate::{CONTRACT, Code, Error, Status, lock};

const NOT_LOADED: &str = "the plugin does not load; if you set Options::wasm, check that file";

/// The plugin, or its last status after it was closed. It runs one call at a time, each in a fraction of a millisecond: its
/// own thread would cost more.
pub struct Plugin(Mutex<Result<Instance, Status>>);

impl Plugin {
    /// Loads the plugin and has it check its config.
    pub fn open(wasm: Option<&[u8]>, config: BTreeMap<String, String>) -> Result<Self, Error> {
        let compiled = wasm.map_or_else(|| EMBEDDED.clone(), compile);
        let instance = compiled.and_then(|compiled| Instance::new(&compiled, config).map_err(Arc::new));
        let instance = instance.map_err(|error| Error::open(NOT_LOADED, error))?;
        let plugin = Self(Mutex::new(Ok(instance)));
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
        let result = then(locked.as_mut().map_err(|_| Error::closed()).and_then(|instance| {
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

    /// Changes a value of the config, unless the plugin rejects it.
    pub fn set(&self, key: &str, value: &str) -> Result<(), Error> {
        let mut locked = lock(&self.0);
        let instance = locked.as_mut().map_err(|_| Error::closed())?;
        let old = instance.store.data_mut().config.insert(key.into(), value.into());
        let checked = instance.call("check", b"{}");
        if let (Err(_), Some(old)) = (&checked, old) {
            instance.store.data_mut().config.insert(key.into(), old);
        }
        checked.map(drop)
    }

    /// Returns the part of the status that the plugin knows.
    pub fn status(&self, now: u64) -> Status {
        match &mut *lock(&self.0) {
            Ok(instance) => {
                let output = instance.call("status", json!({ "now": now }).to_string().as_bytes());
                output.and_then(|output| decode(&output)).unwrap_or_default()
            }
            Err(last) => last.clone(),
        }
    }

    /// Frees the instance.
    pub fn close(&self, now: u64) {
        let last = self.status(now);
        *lock(&self.0) = Err(last);
    }
}

/// Reads an output.
pub fn decode<T: DeserializeOwned>(output: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(output).map_err(|_| Error::bug("the plugin returned an unknown output"))
}

/// Reads an error, and adds to one about the config what [`Config::from_env`](crate::Config::from_env) reads it from.
pub fn error_of(output: &[u8]) -> Error {
    let mut error: Error = decode(output).unwrap_or_else(|unknown| unknown);
    if let (Code::ConfigMissing | Code::ConfigInvalid, Some(key)) = (error.code, &error.key) {
        let mut variables = variables_in(&error.message);
        variables.retain(|name| *name != variable_of(key));
        variables.push(variable_of(key));
        error.message = format!("{} ({})", error.message, variables.join(", "));
    }
    error
}

/// A plugin that any number of clients can start.
type Compiled = Arc<(Module, Linker<State>)>;

/// The embedded plugin, which is compiled once and kept for the process.
static EMBEDDED: LazyLock<Result<Compiled, Arc<wasmi::Error>>> =
    LazyLock::new(|| compile(include_bytes!("../rostering-nowasi.wasm")));

fn compile(wasm: &[u8]) -> Result<Compiled, Arc<wasmi::Error>> {
    let engine = Engine::default();
    let mut linker = Linker::new(&engine);
    let module = define(&mut linker).map_err(Into::into).and_then(|()| Module::new(&engine, wasm));
    Ok(Arc::new((module?, linker)))
}

struct Instance {
    store: Store<State>,
    instance: wasmi::Instance,
}

impl Instance {
    fn new(compiled: &Compiled, config: BTreeMap<String, String>) -> Result<Self, wasmi::Error> {
        let (module, linker) = &**compiled;
        let mut store = Store::new(linker.engine(), State::new(config));
        store.limiter(|state| &mut state.limits);
        let instance = linker.instantiate_and_start(&mut store, module)?;
        Ok(Self { store, instance })
    }

    /// Calls an export, which begins on an empty heap and stack, also after a trap. A panic of the interpreter is a trap, too.
    fn call(&mut self, export: &str, input: &[u8]) -> Result<Vec<u8>, Error> {
        self.store.data_mut().begin(input);
        let call = AssertUnwindSafe(|| {
            self.instance.get_typed_func::<(), i32>(&self.store, export)?.call(&mut self.store, ())
        });
        let status = catch_unwind(call).unwrap_or_else(|_| Err(wasmi::Error::new("the interpreter panicked")));
        let status = status.map_err(Error::bug)?;
        let state = self.store.data_mut();
        if status == 0 { Ok(mem::take(&mut state.output)) } else { Err(error_of(&state.error)) }
    }
}
