//! Bodies that a function of the program reads, on the thread of the call.

use std::ffi::c_void;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use automatic_rostering::{reqwest, Body};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc::{self, Receiver, Sender, UnboundedReceiver};

/// Reads up to size bytes of a body into buffer, and returns how many; 0 at its end, or ROSTERING_READ_FAILED.
pub type Read = Option<unsafe extern "C" fn(context: *mut c_void, buffer: *mut u8, size: usize) -> isize>;

/// Returns to the start of a body, to send it again; returns whether that worked.
pub type Rewind = Option<unsafe extern "C" fn(context: *mut c_void) -> bool>;

#[derive(Clone, Copy)]
pub struct Reader {
    pub read: unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> isize,
    pub rewind: Rewind,
    pub context: *mut c_void,
    pub length: Option<u64>,
}

type Chunk = io::Result<Bytes>;

/// What reads a body while the call is sent: only on the thread of the call, so that nothing is read after it returned.
pub struct Pump {
    reader: Reader,
    /// A sender for each time that the body is sent.
    attempts: UnboundedReceiver<Sender<Chunk>>,
}

impl Reader {
    /// Returns the body for the crate, and what reads it.
    pub fn body(self) -> (Body, Pump) {
        let (attempt, attempts) = mpsc::unbounded_channel();
        let length = self.length;
        let next = move || {
            let (sender, chunks) = mpsc::channel(1);
            let _ = attempt.send(sender);
            reqwest::Body::wrap(Chunks { chunks, length })
        };
        let body = if self.rewind.is_some() { Body::repeatable(next) } else { Body::once(next()) };
        (body, Pump { reader: self, attempts })
    }
}

impl Pump {
    /// Reads for each attempt; it does not end.
    pub async fn run(&mut self) {
        let mut rewind = None; // at first
        while let Some(chunks) = self.attempts.recv().await {
            let good =
                rewind.is_none_or(|rewind: unsafe extern "C" fn(_) -> bool| unsafe { rewind(self.reader.context) });
            rewind = self.reader.rewind;
            while let Ok(permit) = chunks.reserve().await {
                let chunk = if good { self.chunk() } else { Err(io::Error::other("rewind_body failed")) };
                let last = chunk.as_ref().map_or(true, Bytes::is_empty);
                if !matches!(&chunk, Ok(chunk) if chunk.is_empty()) {
                    permit.send(chunk);
                }
                if last {
                    break;
                }
            }
        }
        std::future::pending().await
    }

    fn chunk(&self) -> Chunk {
        let mut buffer = vec![0; 64 << 10];
        let read = unsafe { (self.reader.read)(self.reader.context, buffer.as_mut_ptr(), buffer.len()) };
        match usize::try_from(read) {
            Ok(read) if read <= buffer.len() => buffer.truncate(read),
            _ => return Err(io::Error::other("read_body failed")),
        }
        Ok(buffer.into())
    }
}

/// The chunks of one attempt, as a body of HTTP.
struct Chunks {
    chunks: Receiver<Chunk>,
    length: Option<u64>,
}

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.chunks.poll_recv(context).map(|chunk| chunk.map(|chunk| chunk.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
