use std::net::TcpListener;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rostering::{CallError, Code, Config, Error, Rostering};

use crate::errors::call_error;
use crate::form::Form;
use crate::service::{Answer, JOBS, PATIENCE, SECRET, Service, answer, redirect};

in_both_forms!(
    lost_jobs_request_then_success,
    lost_token_request_then_success,
    nobody_listens,
    timeout_keeps_the_token,
    timeout_that_is_none_or_endless,
);

fn lost_jobs_request_then_success(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    service.on_jobs(|_| Answer::Closed);
    lost(form, &client);
    service.mend();
    assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
    assert_eq!(service.count(), (1, 2));
}

fn lost_token_request_then_success(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    service.on_token(|_| Answer::Closed);
    lost(form, &client);
    service.mend();
    jobs_at_last(&client);
    assert_eq!(service.count(), (2, 1));
}

fn nobody_listens(form: Form) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let service = Service::start();
    let error = lost(form, &form.open(&Config { base_url, ..service.config() }));
    assert!(error.message.contains("refused"), "{error}");
}

/// Whether this machine has IPv6 or not, the request is allowed.
#[test]
fn ipv6_address_is_allowed() {
    let (form, service) = (Form::Direct, Service::start());
    let error =
        lost(form, &form.open(&Config { base_url: "http://[::1]:1".into(), ..service.config() }));
    assert!(!error.message.contains("not allowed"), "{error}");
}

/// The SDK follows what it may, but without the form.
#[test]
fn redirect_does_not_take_the_secret_along() {
    for status in [301, 302, 303, 307, 308] {
        let (service, other) = (Service::start(), Service::start());
        let location = format!("{}/connect/token", other.url);
        service.on_token(move |_| redirect(status, &location));
        let error = call_error(service.client(Form::Direct).list_jobs());
        let followed: Vec<_> = other.requests().into_iter().map(|r| (r.target, r.body)).collect();
        if status < 307 {
            assert_eq!(followed, [("GET /connect/token".into(), String::new())], "{status}");
            assert_eq!(error.code, Code::TokenEndpointRejected, "{status}");
        } else {
            assert_eq!(followed, [], "{status}");
            assert_eq!(error.code, Code::NetworkError, "{status}");
        }
    }
}

fn timeout_keeps_the_token(form: Form) {
    let service = Service::start();
    let client =
        form.open(&Config { timeout: Some(Duration::from_millis(500)), ..service.config() });
    jobs_at_last(&client);
    let (tokens, _) = service.count();
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    service.on_jobs(move |_| {
        let _ = wait.lock().unwrap().recv_timeout(PATIENCE);
        answer(200, JOBS)
    });
    let error = lost(form, &client);
    assert!(error.message.contains("no answer within 500ms"), "{error}");
    drop(go_on);
    service.mend();
    jobs_at_last(&client);
    assert_eq!(service.count().0, tokens);
}

fn timeout_that_is_none_or_endless(form: Form) {
    let service = Service::start();
    for timeout in [None, Some(Duration::MAX)] {
        let client = form.open(&Config { timeout, ..service.config() });
        assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
    }
}

/// The error of a request that gets no answer.
fn lost(form: Form, client: &Rostering) -> CallError {
    let error = call_error(client.list_jobs());
    assert_eq!(error.code, Code::NetworkError);
    assert!(error.retryable, "{error:?}");
    assert_eq!(error.source.is_some(), form == Form::Direct, "{error:?}");
    assert!(!error.message.contains("wasm"), "{error}");
    assert!(!format!("{error:?}").contains(SECRET));
    error
}

/// Waits out the back-off that a failed token request began.
fn jobs_at_last(client: &Rostering) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match client.list_jobs() {
            Ok(jobs) => return assert_eq!(jobs, JOBS.as_bytes()),
            Err(Error::Call(error)) if error.retryable && Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(20));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}
