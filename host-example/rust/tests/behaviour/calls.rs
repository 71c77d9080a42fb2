use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use rostering::{Config, Id, Ids};
use tracing_subscriber::filter::LevelFilter;

use crate::service::{JOBS, SECRET, Service, answer, open};

#[test]
fn second_call_uses_the_token_of_the_first() {
    let service = Service::start();
    let client = service.client();
    for jobs in 1..=2 {
        assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
        assert_eq!(service.count(), (1, jobs));
    }
}

#[test]
fn requests_are_those_of_the_config() {
    let service = Service::start();
    let config = Config { environment: String::new(), scope: "own".into(), ..service.config() };
    open(&config).list_jobs().unwrap();
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", "client"),
        ("client_secret", SECRET),
        ("scope", "own"),
    ];
    let form = form.map(|(name, value)| (name.into(), value.into())).into();
    assert_eq!(service.requests()[0].form, form);
    let request = service.jobs_request();
    assert_eq!(request.header("authorization"), Some("Bearer token-1"));
    assert_eq!(request.header("customer_id"), Some("customer"));
    assert_eq!(request.header("user_id"), Some("user"));
}

#[test]
fn ids_of_one_call() {
    let service = Service::start();
    let client = service.client();
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

#[test]
fn token() {
    let service = Service::start();
    let none = String::new;
    // A token needs none of these.
    let config =
        Config { base_url: none(), customer_id: none(), user_id: none(), ..service.config() };
    let client = open(&config);
    let token = client.get_token().unwrap();
    assert_eq!(token.access_token.expose(), "token-1");
    assert_eq!(token.token_type, "Bearer");
    assert!(token.cache_key.contains("client"), "{}", token.cache_key);
    let left = token.expires_at.duration_since(SystemTime::now()).unwrap();
    assert!(left <= Duration::from_hours(1), "{left:?}");
    assert_eq!(client.get_token().unwrap().access_token.expose(), "token-1");
    assert_eq!(client.get_new_token().unwrap().access_token.expose(), "token-2");
}

#[test]
fn empty_answer() {
    let service = Service::start();
    service.on_jobs(|_| answer(204, ""));
    assert_eq!(service.client().list_jobs().unwrap(), b"");
}

#[test]
fn threads_share_one_token() {
    const THREADS: usize = 20;
    let service = Service::start();
    let client = service.client();
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
    tracing_subscriber::fmt()
        .with_max_level(LevelFilter::DEBUG)
        .with_ansi(false)
        .with_writer(writer)
        .init();
    let service = Service::start();
    service.client().list_jobs().unwrap();
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let host = service.url.trim_start_matches("http://");
    for line in ["POST", "GET"].map(|method| format!("HTTP 200 to {method} {host}/")) {
        let line = format!("DEBUG extism::pdk: {line}");
        assert_eq!(text.matches(&line).count(), 1, "{line} in {text}");
    }
    assert!(!text.contains(SECRET), "{text}");
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
