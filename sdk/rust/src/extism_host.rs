//! The functions of Extism's interface that the plugin imports. An error of one is a trap.

use std::borrow::Cow;
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

type Host<'a> = Caller<'a, State>;

pub fn define(linker: &mut Linker<State>) -> Result<(), LinkerError> {
    let env = "extism:host/env";
    linker
        .func_wrap(env, "alloc", |mut host: Host, length: u64| host.data_mut().alloc(index(length)))?
        .func_wrap(env, "length", |host: Host, at: u64| host.data().at(at).map(|block| block.len() as u64))?
        .func_wrap(env, "load_u8", |host: Host, at: u64| host.data().at(at).and_then(load).map(u8_of))?
        .func_wrap(env, "load_u64", |host: Host, at: u64| host.data().at(at).and_then(load).map(u64::from_le_bytes))?
        .func_wrap(env, "store_u8", |mut host: Host, at: u64, value: u32| {
            host.data_mut().store(at, &value.to_le_bytes()[..1])
        })?
        .func_wrap(env, "store_u64", |mut host: Host, at: u64, value: u64| {
            host.data_mut().store(at, &value.to_le_bytes())
        })?
        .func_wrap(env, "input_length", |host: Host| host.data().input.len() as u64)?
        .func_wrap(env, "input_load_u8", |host: Host, at: u64| from(&host.data().input, at).and_then(load).map(u8_of))?
        .func_wrap(env, "input_load_u64", |host: Host, at: u64| {
            from(&host.data().input, at).and_then(load).map(u64::from_le_bytes)
        })?
        .func_wrap(env, "output_set", |mut host: Host, at: u64, length: u64| {
            let output = host.data().at(at)?.get(..index(length)).map(Vec::from);
            output.map(|output| host.data_mut().output = output).ok_or_else(outside)
        })?
        .func_wrap(env, "error_set", |mut host: Host, at: u64| {
            let error = host.data().at(at).map(Vec::from);
            error.map(|error| host.data_mut().error = error)
        })?
        .func_wrap(env, "var_get", |mut host: Host, key: u64| {
            let value = host.data().vars.get(host.data().at(key)?).cloned();
            value.map_or(Ok(0), |value| host.data_mut().add(&value))
        })?
        .func_wrap(env, "var_set", |mut host: Host, key: u64, value: u64| host.data_mut().set_var(key, value))?
        .func_wrap(env, "config_get", |mut host: Host, key: u64| {
            let value = host.data().config.get(&*host.data().text(key)?).cloned();
            value.map_or(Ok(0), |value| host.data_mut().add(value.as_bytes()))
        })?
        .func_wrap(env, "log_debug", |mut host: Host, at: u64| host.data_mut().log(false, at))?
        .func_wrap(env, "log_warn", |mut host: Host, at: u64| host.data_mut().log(true, at))?
        .func_wrap(env, "http_request", |_: Host, _request: u64, _body: u64| Err::<u64, _>(sends_nothing()))?
        .func_wrap(env, "http_status_code", |_: Host| Err::<u32, _>(sends_nothing()))?;
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

    /// Adds a block with these bytes.
    fn add(&mut self, bytes: &[u8]) -> Result<u64, Error> {
        let at = self.alloc(bytes.len())?;
        self.store(at, bytes)?;
        Ok(at)
    }

    /// Returns the bytes from here to the end of the block.
    fn at(&self, at: u64) -> Result<&[u8], Error> {
        self.blocks.get(index(at >> 32)).ok_or_else(outside).and_then(|block| from(block, at & LOWER))
    }

    fn text(&self, at: u64) -> Result<Cow<'_, str>, Error> {
        self.at(at).map(String::from_utf8_lossy)
    }

    fn log(&mut self, warns: bool, at: u64) -> Result<(), Error> {
        let line = self.text(at)?.into_owned();
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
        if value.is_empty() {
            self.vars.remove(&key);
        } else {
            self.vars.insert(key, value);
        }
        Ok(())
    }
}

fn load<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Error> {
    bytes.first_chunk().copied().ok_or_else(outside)
}

fn u8_of([byte]: [u8; 1]) -> u32 {
    byte.into()
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
