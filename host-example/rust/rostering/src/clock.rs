use std::time::{SystemTime, UNIX_EPOCH};

/// The time in Unix seconds, as the plugin takes it.
pub(crate) fn unix_now() -> u64 {
    // A clock before 1970 is as unusable as one at 0.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}
