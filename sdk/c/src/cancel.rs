//! Cancels calls from another thread or a signal handler.

use std::io::{self, pipe, PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::unix::pipe::Receiver;

use crate::error::{Code, Error};
use crate::{run, Result};

/// A handle that cancels calls. It may serve many calls, of any client; free it after they ended.
pub struct Cancel {
    canceled: AtomicBool,
    reader: PipeReader,
    /// Writing a byte to a pipe is all that a signal handler may do.
    writer: PipeWriter,
}

impl Cancel {
    /// Waits until the handle is canceled; without a handle, forever.
    pub async fn canceled(handle: Option<&Self>) -> Result<()> {
        let Some(handle) = handle else { return std::future::pending().await };
        handle
            .wait()
            .await
            .map_err(|error| Error::own(Code::PluginFailed, &format!("cannot watch a handle: {error}")))?;
        Err(Error::own(Code::Canceled, "the call was canceled"))
    }

    async fn wait(&self) -> io::Result<()> {
        // A copy: a descriptor can be watched once.
        let copy = Receiver::from_owned_fd(self.reader.try_clone()?.into())?;
        copy.readable().await
    }
}

/// Makes a handle; NULL if the process has no file descriptors left.
#[no_mangle]
pub extern "C" fn rostering_cancel_new(error: *mut *mut Error) -> Option<Box<Cancel>> {
    run(error, || {
        let (reader, writer) = pipe().map_err(|error| Error::own(Code::PluginFailed, &format!("no pipe: {error}")))?;
        Ok(Some(Box::new(Cancel { canceled: AtomicBool::new(false), reader, writer })))
    })
}

/// Cancels the calls of the handle, including later ones: they fail with canceled. Safe in a signal handler. A token
/// request continues, for the next call; a response of the service that has arrived is returned.
#[no_mangle]
pub extern "C" fn rostering_cancel_calls(cancel: Option<&Cancel>) {
    if let Some(cancel) = cancel {
        if !cancel.canceled.swap(true, Ordering::SeqCst) {
            let _ = (&cancel.writer).write(&[0]); // the pipe is empty, so this cannot block
        }
    }
}

#[no_mangle]
pub extern "C" fn rostering_cancel_free(cancel: Option<Box<Cancel>>) {
    drop(cancel);
}
