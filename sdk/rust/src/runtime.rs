//! The library's own threads. Token requests run there, as they outlive the call that began them, and its runtime.

use std::mem;
use std::process;
use std::sync::Mutex;

use tokio::runtime::{Builder, Handle};

use crate::{Error, lock};

/// The runtime, with the process that started it: its threads do not exist in a child. It is never dropped, which would panic
/// in async code.
static STARTED: Mutex<Option<(u32, Handle)>> = Mutex::new(None);

/// Returns the runtime, and starts it if this process has not.
pub fn own() -> Result<Handle, Error> {
    let mut started = lock(&STARTED);
    if let Some((process, handle)) = &*started
        && *process == process::id()
    {
        return Ok(handle.clone());
    }
    let built = Builder::new_multi_thread().worker_threads(2).thread_name("rostering").enable_all().build();
    let runtime = built.map_err(|error| Error::open("tokio cannot start a thread", error))?;
    let handle = runtime.handle().clone();
    mem::forget(runtime);
    *started = Some((process::id(), handle.clone()));
    Ok(handle)
}
