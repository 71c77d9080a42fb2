use std::time::Duration;

use automatic_rostering::{Code, Error, Retryable, Waits, blocking};

/// A retryable error.
fn busy(retry_after: Option<Duration>) -> Error {
    let mut error = Error::new(Code::ServiceError, "busy");
    (error.retryable, error.retry_after) = (true, retry_after);
    error
}

#[test]
fn waits_double_to_30_s() {
    let mut waits = Waits::new(Duration::MAX);
    for seconds in [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0] {
        let wait = waits.after(true, &busy(None)).unwrap().as_secs_f64();
        assert!((seconds..=seconds * 1.1).contains(&wait), "{wait}");
    }
}

/// An error of a program.
struct Own(Error);

impl Retryable for Own {
    fn is_retryable(&self) -> bool {
        self.0.is_retryable()
    }
}

#[test]
fn retry_that_blocks() {
    let mut calls = 0;
    let result = blocking::retry(Duration::from_mins(1), || {
        calls += 1;
        if calls == 2 { Ok(calls) } else { Err(busy(Some(Duration::from_millis(1)))) }
    });
    assert_eq!(result.unwrap(), 2);
    let mut errors = [busy(Some(Duration::from_millis(1))), Error::new(Code::Closed, "")].into_iter();
    let condition = |error: &Error| error.code == Code::ServiceError;
    let result = blocking::retry_if(Duration::from_mins(1), condition, || Err::<(), _>(errors.next().unwrap()));
    assert_eq!(result.unwrap_err().code, Code::Closed);
    assert!(blocking::retry(Duration::ZERO, || Err::<(), _>(Own(busy(None)))).is_err());
}
