use std::fmt;
use std::time::{Duration, Instant};

/// When a call must be over.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    timeout: Option<Duration>,
    end: Option<Instant>,
}

impl Deadline {
    /// So long from now; `None` is never, and so is what no clock can count.
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        Self { timeout, end: timeout.and_then(|timeout| Instant::now().checked_add(timeout)) }
    }

    pub(crate) fn end(self) -> Option<Instant> {
        self.end
    }

    pub(crate) fn left(self) -> Option<Duration> {
        self.end.map(|end| end.saturating_duration_since(Instant::now()))
    }

    pub(crate) fn is_over(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

/// Says what went wrong when it is over.
impl fmt::Display for Deadline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no answer within {:?}", self.timeout.unwrap_or(Duration::MAX))
    }
}
