//! The functions of Extism's interface that the plugin imports. An error of one is a trap.

use std::collections::{BTreeMap, HashMap};
use std::mem;

use wasmi::errors::LinkerError;
use wasmi::{Caller, Error, Linker, StoreLimits, StoreLimitsBuilder};

/// Limits the memory of an instance, and likewise all blocks of a call together.
const MAX_MEMORY: usize = 16 << 20;

/// Limits all variables together, as Extism does.
const MAX_VARS: usize = 1 << 20;

/// The bits of an address that are the position in a block.
const LOWER: u64 = u32::MAX as u64;

/// What the functions work on.
#[derive(Default)]
pub struct State {
    pub limits: StoreLimits,
    pub config: BTreeMap<String, String>,
    vars: HashMap<Vec<u8>, Vec<u8>>,
    // These live for one call:
    input: Vec<u8>,
    pub output: Vec<u8>,
    pub error: Vec<u8>,
    /// The lines of the log, and whether each is a warning. They are logged after the call: a handler may call the client.
    pub lines: Vec<(bool, String)>,
    /// The plugin addresses a byte by the number of its block in the upper 32 bits, and its position in the lower. Block 0 is
    /// empty.
    blocks: Vec<Vec<u8>>,
    used: usize,
}

/// Defines functions, each by its parameters, its result, and what it does with the state of the instance.
macro_rules! functions {
    ($linker:ident: $($name:ident($($parameter:ident: $type:ty),*) -> $result:ty, |$state:pat_param| $body:expr;)+) => {
        $(
            let function = |mut caller: Caller<'_, State>, $($parameter: $type),*| -> Result<$result, Error> {
                let $state = caller.data_mut();
                $body
            };
            $linker.func_wrap("extism:host/env", stringify!($name), function)?;
        )+
    };
}

pub fn define(linker: &mut Linker<State>) -> Result<(), LinkerError> {
    functions! { linker:
        alloc(length: u64) -> u64, |state| state.alloc(index(length));
        length(at: u64) -> u64, |state| Ok(state.at(at)?.len() as u64);
        load_u8(at: u64) -> u32, |state| load(state.at(at)?).map(|[byte]: [u8; 1]| byte.into());
        load_u64(at: u64) -> u64, |state| load(state.at(at)?).map(u64::from_le_bytes);
        store_u8(at: u64, value: u32) -> (), |state| state.store(at, &value.to_le_bytes()[..1]);
        store_u64(at: u64, value: u64) -> (), |state| state.store(at, &value.to_le_bytes());
        input_length() -> u64, |state| Ok(state.input.len() as u64);
        input_load_u8(at: u64) -> u32, |state| load(from(&state.input, at)?).map(|[byte]: [u8; 1]| byte.into());
        input_load_u64(at: u64) -> u64, |state| load(from(&state.input, at)?).map(u64::from_le_bytes);
        output_set(at: u64, length: u64) -> (), |state| {
            state.output = state.at(at)?.get(..index(length)).ok_or_else(outside)?.to_vec();
            Ok(())
        };
        error_set(at: u64) -> (), |state| {
            state.error = state.at(at)?.to_vec();
            Ok(())
        };
        var_get(key: u64) -> u64, |state| state.add(state.vars.get(state.at(key)?).cloned());
        var_set(key: u64, value: u64) -> (), |state| state.set_var(key, value);
        config_get(key: u64) -> u64, |state| {
            let value = state.config.get(&*String::from_utf8_lossy(state.at(key)?));
            state.add(value.map(|value| value.clone().into()))
        };
        log_debug(at: u64) -> (), |state| state.log(false, at);
        log_warn(at: u64) -> (), |state| state.log(true, at);
        http_request(_request: u64, _body: u64) -> u64, |_| Err(sends_nothing());
        http_status_code() -> u32, |_| Err(sends_nothing());
    }
    Ok(())
}

impl State {
    pub fn new(config: BTreeMap<String, String>) -> Self {
        let limits = StoreLimitsBuilder::new().memory_size(MAX_MEMORY).build();
        Self { limits, config, blocks: vec![Vec::new()], ..Self::default() }
    }

    /// Begins a call.
    pub fn begin(&mut self, input: &[u8]) {
        let Self { limits, config, vars, .. } = mem::take(self);
        *self = Self { limits, config, vars, input: input.to_vec(), blocks: vec![Vec::new()], ..Self::default() };
    }

    /// Adds a block of zeros. Each counts as a little more than its length, so that their number is limited, too.
    fn alloc(&mut self, length: usize) -> Result<u64, Error> {
        let used = self.used.saturating_add(length).saturating_add(size_of::<Vec<u8>>());
        if used > MAX_MEMORY {
            return Err(Error::new("the plugin wants more memory than it may have"));
        }
        self.used = used;
        self.blocks.push(vec![0; length]);
        Ok((self.blocks.len() as u64 - 1) << 32)
    }

    /// Adds a block with a value, or returns the empty one.
    fn add(&mut self, value: Option<Vec<u8>>) -> Result<u64, Error> {
        let Some(value) = value else { return Ok(0) };
        let at = self.alloc(value.len())?;
        self.store(at, &value)?;
        Ok(at)
    }

    /// Returns the bytes from here to the end of the block.
    fn at(&self, at: u64) -> Result<&[u8], Error> {
        self.blocks.get(index(at >> 32)).ok_or_else(outside).and_then(|block| from(block, at & LOWER))
    }

    fn log(&mut self, warns: bool, at: u64) -> Result<(), Error> {
        let line = String::from_utf8_lossy(self.at(at)?).into_owned();
        self.lines.push((warns, line));
        Ok(())
    }

    fn store(&mut self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        let rest = self.blocks.get_mut(index(at >> 32)).and_then(|block| block.get_mut(index(at & LOWER)..));
        rest.and_then(|rest| rest.get_mut(..bytes.len())).ok_or_else(outside)?.copy_from_slice(bytes);
        Ok(())
    }

    fn set_var(&mut self, key: u64, value: u64) -> Result<(), Error> {
        let (key, value) = (self.at(key)?.to_vec(), self.at(value)?.to_vec());
        let others = self.vars.iter().filter(|(other, _)| **other != key);
        let others: usize = others.map(|(key, value)| key.len() + value.len()).sum();
        if others + key.len() + value.len() > MAX_VARS {
            return Err(Error::new("the plugin keeps more than it may"));
        }
        self.vars.insert(key, value); // an empty one counts as missing
        Ok(())
    }
}

fn load<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.first_chunk().copied().ok_or_else(outside)
}

fn from(bytes: &[u8], start: u64) -> Result<&[u8], Error> {
    bytes.get(index(start)..).ok_or_else(outside)
}

/// A number too large for this machine is too large for any block.
fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn outside() -> Error {
    Error::new("the plugin reads or writes outside of a block")
}

fn sends_nothing() -> Error {
    Error::new("the plugin sends no requests itself when it is used in steps")
}
