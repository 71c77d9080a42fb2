use std::cell::RefCell;
use std::time::Duration;

use automatic_rostering::{Code, Error, Retryable, blocking, retry};
use tokio::time::Instant;

/// A retryable error.
fn busy(retry_after: Option<Duration>) -> Error {
    let mut error = Error::new(Code::ServiceError, "busy");
    (error.retryable, error.retry_after) = (true, retry_after);
    error
}

/// The waits between the calls of a function that fails in the same way each time, on virtual time.
async fn waits(deadline: Duration, fail: impl Fn() -> Error) -> (Vec<f64>, Error) {
    let times = RefCell::new(Vec::new());
    let error = retry(deadline, || {
        times.borrow_mut().push(Instant::now());
        std::future::ready(Err::<(), _>(fail()))
    });
    let error = error.await.unwrap_err();
    let waits = times.borrow().windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64()).collect();
    (waits, error)
}

fn assert_near(waits: &[f64], expected: &[f64]) {
    let near = |(wait, expected): (&f64, &f64)| (*expected..expected * 1.1 + 0.002).contains(wait);
    assert!(waits.len() == expected.len() && waits.iter().zip(expected).all(near), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn retry_within_the_deadline() {
    let (doubling, error) = waits(Duration::from_mins(2), || busy(None)).await;
    assert_near(&doubling, &[1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]);
    assert_eq!(error.to_string(), "service_error: busy");
    let (told, _) = waits(Duration::from_mins(1), || busy(Some(Duration::from_secs(25)))).await;
    assert_near(&told, &[25.0, 25.0]);
    assert!(waits(Duration::ZERO, || busy(None)).await.0.is_empty());
    let (forever, _) = waits(Duration::MAX, || Error::new(Code::Closed, "")).await; // not retryable
    assert!(forever.is_empty());
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
    assert!(blocking::retry(Duration::ZERO, || Err::<(), _>(Own(busy(None)))).is_err());
}
