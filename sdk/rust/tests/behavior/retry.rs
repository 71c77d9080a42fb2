use std::time::Duration;

use automatic_rostering::{Code, Error, Waits};

/// The rules try the first of them.
#[test]
fn waits_double_to_30_s() {
    let mut waits = Waits::new(Duration::MAX);
    for seconds in [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
        let wait = waits.after(true, &Error::new(Code::ServiceError, "busy")).unwrap().as_secs_f64();
        assert!((seconds..=seconds * 1.1).contains(&wait), "{wait}");
    }
}
