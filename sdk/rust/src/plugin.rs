use std::collections::HashMap;
use std::mem;
use std::sync::Mutex;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use wasmi::{Engine, Linker, Module, Store};

use crate::config::variable_of;
use crate::extism_host::{State, define};
use crate::kept::Kept;
use crate::step::First;
use crate::{CONTRACT, CallError, Code, Error, lock};

const NOT_LOADED: &str = "the plugin does not load; if you set Options::wasm, check that file";

/// The plugin, until it is closed. It runs one call at a time, each in a fraction of a millisecond: its own thread would
/// cost more.
pub struct Plugin {
    instance: Mutex<Option<Instance>>,
    pub kept: Kept,
}

impl Plugin {
    /// Loads the plugin and has it check its config.
    pub fn open(wasm: &[u8], config: HashMap<String, String>) -> Result<Self, Error> {
        let mut instance = Instance::new(wasm, config).map_err(|error| Error::open(NOT_LOADED, error))?;
        let found = match version(&mut instance) {
            Ok(CONTRACT) => {
                instance.call("check", b"")?;
                return Ok(Self { instance: Mutex::new(Some(instance)), kept: Kept::default() });
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
        let mut instance = lock(&self.instance);
        let instance = instance.as_mut().ok_or(Error::Closed)?;
        let generation = self.kept.generation(changes);
        Ok((instance.call(export, input)?, generation))
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
fn version(instance: &mut Instance) -> Result<u64, Error> {
    #[derive(Deserialize)]
    struct Version {
        contract: u64,
    }
    decode::<Version>(&instance.call("version", b"")?).map(|version| version.contract)
}

struct Instance {
    module: Module,
    linker: Linker<State>,
    store: Store<State>,
    instance: wasmi::Instance,
}

impl Instance {
    fn new(wasm: &[u8], config: HashMap<String, String>) -> Result<Self, wasmi::Error> {
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
        let state = self.store.data_mut();
        match status.map_err(|trap| Error::Failed(trap.into()))? {
            0 => Ok(mem::take(&mut state.output)),
            _ => Err(match serde_json::from_slice(&state.error) {
                Ok(error) => with_variable(error).into(),
                Err(_) => Error::Failed("the plugin returned an unknown error".into()),
            }),
        }
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
    if let Ok(initialize) = instance.get_typed_func::<(), ()>(&store, "_initialize") {
        initialize.call(&mut store, ())?;
    }
    Ok((store, instance))
}

/// Adds to an error about the config what [`Config::from_env`](crate::Config::from_env) reads it from.
fn with_variable(mut error: CallError) -> CallError {
    if let (Code::ConfigMissing | Code::ConfigInvalid, Some(key)) = (error.code, &error.key) {
        error.message = format!("{} ({})", error.message, variable_of(key));
    }
    error
}
