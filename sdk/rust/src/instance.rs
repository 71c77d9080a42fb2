//! Runs the plugin, which imports nothing: a call is a function of a state and an input, which docs/contract.md describes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use wasmi::{Engine, Error, Linker, Memory, Module, Store, StoreLimits, StoreLimitsBuilder};

/// Limits the memory of an instance, in bytes.
const MAX_MEMORY: usize = 16 << 20;

pub fn compile(wasm: &[u8]) -> Result<Module, Error> {
    Module::new(&Engine::default(), wasm)
}

pub struct Instance {
    store: Store<StoreLimits>,
    instance: wasmi::Instance,
    memory: Memory,
    /// What the plugin knows: the config, the token, a backoff.
    pub state: Vec<u8>,
}

/// What a call returns.
pub struct Returned {
    /// The output, or the error.
    pub output: Result<Vec<u8>, Vec<u8>>,
    /// Lines, each after a letter for its level.
    pub log: Vec<u8>,
}

impl Instance {
    pub fn new(module: &Module) -> Result<Self, Error> {
        let mut store = Store::new(module.engine(), StoreLimitsBuilder::new().memory_size(MAX_MEMORY).build());
        store.limiter(|limits| limits);
        let instance = Linker::new(module.engine()).instantiate_and_start(&mut store, module)?;
        let memory = instance.get_memory(&store, "memory").ok_or_else(|| Error::new("it exports no memory"))?;
        Ok(Self { store, instance, memory, state: Vec::new() })
    }

    /// Calls an export. If it fails here, that is a trap: the state is the one from before, and the next call works. A panic of
    /// the interpreter counts as a trap.
    pub fn call(&mut self, export: &str, input: &[u8]) -> Result<Returned, Error> {
        catch_unwind(AssertUnwindSafe(|| self.run(export, input)))
            .unwrap_or_else(|_| Err(Error::new("the interpreter panicked")))
    }

    fn run(&mut self, export: &str, input: &[u8]) -> Result<Returned, Error> {
        let Self { store, instance, memory, state } = self;
        let run = instance.get_typed_func::<(u32, u32), u32>(&*store, export)?;
        let room = instance.get_typed_func::<u32, u32>(&*store, "room")?;
        let lengths = (length(state)?, length(input)?);
        let at = room.call(&mut *store, lengths.0 + lengths.1)? as usize;
        memory.write(&mut *store, at, state)?;
        memory.write(&mut *store, at + state.len(), input)?;
        let at = run.call(&mut *store, lengths)? as usize;
        let (mut rest, mut parts) = (memory.data(&*store).get(at..).unwrap_or_default(), Vec::new());
        let outside = || Error::new("its result is outside of its memory");
        let (head, after) = rest.split_first_chunk::<16>().ok_or_else(outside)?;
        let [failed, lengths @ ..] = [0, 4, 8, 12].map(|i| u32::from_le_bytes([0, 1, 2, 3].map(|n| head[i + n])));
        rest = after;
        for length in lengths {
            let (part, after) = rest.split_at_checked(length as usize).ok_or_else(outside)?;
            parts.push(part.to_vec());
            rest = after;
        }
        let [new, output, log] = parts.try_into().map_err(|_| outside())?;
        *state = new;
        Ok(Returned { output: if failed == 0 { Ok(output) } else { Err(output) }, log })
    }
}

/// Fails where an instance has no memory for it.
fn length(bytes: &[u8]) -> Result<u32, Error> {
    let length = bytes.len();
    u32::try_from(length).ok().filter(|_| length < MAX_MEMORY).ok_or_else(|| Error::new("the input is too large"))
}
