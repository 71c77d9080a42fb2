//! The library's own threads. Token requests run there, as they outlive the call that began them, and its runtime.

use std::mem;
use std::pin::pin;
use std::process;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};
use std::thread::{self, Thread};

use tokio::runtime::{Builder, Handle};
use tokio::task;

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

/// Makes a call in code without async, such as `block_on(client.list_jobs())`. It needs no runtime of the program's. In async
/// code it blocks the thread, as [`thread::sleep`] does, but does not panic.
///
/// # Panics
/// If no thread can be started.
pub fn block_on<T>(call: impl Future<Output = T>) -> T {
    // Polls the call on this thread, since tokio's own ways to block panic in async code. There, the surrounding task has a
    // budget; once that is used up, tokio would make the call yield forever, unless it is unconstrained.
    let runtime = own().expect("the threads start");
    let _timers_and_sockets = runtime.enter();
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut call = pin!(task::unconstrained(call));
    loop {
        match call.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => return result,
            Poll::Pending => thread::park(),
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
