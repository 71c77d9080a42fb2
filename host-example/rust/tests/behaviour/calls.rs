use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use rostering::{Code, Config, Id, Ids, Request};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::errors::call_error;
use crate::form::Form;
use crate::service::{JOBS, SECRET, Service, answer};

in_both_forms!(
    second_call_uses_the_token_of_the_first,
    requests_are_those_of_the_config,
    ids_of_one_call,
    token,
    own_request,
    own_request_that_leads_elsewhere,
    empty_answer,
    threads_share_one_token,
);

fn second_call_uses_the_token_of_the_first(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    for jobs in 1..=2 {
        assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
        assert_eq!(service.count(), (1, jobs));
    }
}

fn requests_are_those_of_the_config(form: Form) {
    let service = Service::start();
    let config = Config { environment: String::new(), scope: "own".into(), ..service.config() };
    form.open(&config).list_jobs().unwrap();
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", "client"),
        ("client_secret", SECRET),
        ("scope", "own"),
    ];
    let form = form.map(|(name, value)| (name.into(), value.into())).into();
    assert_eq!(service.requests()[0].form(), form);
    let request = service.jobs_request();
    assert_eq!(request.header("authorization"), Some("Bearer token-1"));
    assert_eq!(request.header("customer_id"), Some("customer"));
    assert_eq!(request.header("user_id"), Some("user"));
}

fn ids_of_one_call(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    let cases = [
        (Id::Configs, Id::Configs, Some("customer"), Some("user")),
        ("c2".into(), Id::Configs, Some("c2"), Some("user")),
        (Id::Configs, "u2".into(), Some("customer"), Some("u2")),
        (Id::LeftOut, Id::LeftOut, None, None),
    ];
    for (customer_id, user_id, customer, user) in cases {
        let ids = Ids { customer_id, user_id };
        client.list_jobs_of(&ids).unwrap();
        let request = service.jobs_request();
        assert_eq!(request.header("customer_id"), customer, "{ids:?}");
        assert_eq!(request.header("user_id"), user, "{ids:?}");
    }
}

fn token(form: Form) {
    let service = Service::start();
    let none = String::new;
    // A token needs none of these.
    let config =
        Config { base_url: none(), customer_id: none(), user_id: none(), ..service.config() };
    let client = form.open(&config);
    let token = client.get_token().unwrap();
    assert_eq!(token.access_token.expose(), "token-1");
    assert_eq!(token.token_type, "Bearer");
    assert!(token.cache_key.contains("client"), "{}", token.cache_key);
    let left = token.expires_at.duration_since(SystemTime::now()).unwrap();
    assert!(left <= Duration::from_hours(1), "{left:?}");
    assert_eq!(client.get_token().unwrap().access_token.expose(), "token-1");
    assert_eq!(client.get_new_token().unwrap().access_token.expose(), "token-2");
}

fn own_request(form: Form) {
    let service = Service::start();
    let request = Request {
        path: "/jobs/7?full=true".into(),
        method: "PUT".into(),
        headers: [("Content-Type".into(), "text/plain".into())].into(),
        body: Some("grün".into()),
        ids: Ids { customer_id: "c2".into(), user_id: Id::LeftOut },
    };
    assert_eq!(service.client(form).send_request(&request).unwrap(), JOBS.as_bytes());
    let got = service.jobs_request();
    assert_eq!((got.target.as_str(), got.body.as_str()), ("PUT /jobs/7?full=true", "grün"));
    assert_eq!(got.header("authorization"), Some("Bearer token-1"));
    assert_eq!(got.header("content-type"), Some("text/plain"));
    assert_eq!((got.header("customer_id"), got.header("user_id")), (Some("c2"), None));
}

fn own_request_that_leads_elsewhere(form: Form) {
    let service = Service::start();
    let request = Request { path: "//other.example.com/jobs".into(), ..Request::default() };
    let error = call_error(service.client(form).send_request(&request));
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("path")));
    assert_eq!(service.count(), (0, 0));
}

fn empty_answer(form: Form) {
    let service = Service::start();
    service.on_jobs(|_| answer(204, ""));
    assert_eq!(service.client(form).list_jobs().unwrap(), b"");
}

fn threads_share_one_token(form: Form) {
    const THREADS: usize = 20;
    let service = Service::start();
    let client = service.client(form);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes()));
        }
    });
    assert_eq!(service.count(), (1, THREADS));
}

/// The subscriber is for the whole process: other tests' lines come to it as well.
#[test]
fn log() {
    let log = Log::default();
    let writer = {
        let log = log.clone();
        move || log.clone()
    };
    let traced = ["reqwest", "hyper_util", "hyper", "rustls"].map(|name| (name, Level::TRACE));
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    tracing_subscriber::registry()
        .with(lines)
        .with(Targets::new().with_default(Level::DEBUG).with_targets(traced))
        .init();
    let text = || String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for form in [Form::Direct, Form::Driven] {
        let service = Service::start();
        service.client(form).list_jobs().unwrap();
        let (text, host) = (text(), service.url.trim_start_matches("http://"));
        for line in ["POST", "GET"].map(|method| format!("HTTP 200 to {method} {host}/")) {
            let line = format!("DEBUG extism::pdk: {line}");
            assert_eq!(text.matches(&line).count(), 1, "{line} in {text}");
        }
    }
    let text = text();
    assert!(text.contains("TRACE hyper_util::"), "{text}");
    for hidden in [SECRET, "s3cr3t%2F", "Bearer token-"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
