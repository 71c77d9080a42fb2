//! Log lines: the crate's tracing events, for the function of one client.

use std::ffi::{c_char, c_void};
use std::fmt::{Debug, Write};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

use crate::text::c_string;

/// The levels of log lines.
#[repr(C)]
pub enum LogLevel {
    /// A response that the plugin sees.
    Debug,
    /// What needs attention.
    Warn,
}

/// A function that is called with each line of the log, on any thread and concurrently.
pub type Log = Option<unsafe extern "C" fn(context: *mut c_void, level: LogLevel, line: *const c_char)>;

#[derive(Clone, Copy)]
pub struct Logger {
    pub log: Log,
    pub context: *mut c_void,
}

// The header requires a function that any thread may call with its context.
unsafe impl Send for Logger {}
unsafe impl Sync for Logger {}

impl Logger {
    pub fn dispatch(self) -> Dispatch {
        Dispatch::new(self)
    }
}

impl Subscriber for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.log.is_some() && metadata.is_event() && metadata.target().starts_with("automatic_rostering")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let level = if *event.metadata().level() <= Level::WARN { LogLevel::Warn } else { LogLevel::Debug };
        if let Some(log) = self.log {
            unsafe { log(self.context, level, c_string(&line.0).as_ptr()) };
        }
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let _ = write!(self.0, "{value:?}");
        }
    }
}
