//! Many calls at the same time on one instance.

use std::fs;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use extism::{Manifest, PluginBuilder, Wasm};
use rostering::{Driver, Http};
use serde_json::{Map, Value, json};

use crate::form::Form;
use crate::service::{JOBS, PATIENCE, SECRET, Service, WASM, answer};

const THREADS: usize = 20;

/// Makes a call in many threads that start together, and wants the jobs of each.
fn want_jobs(call: impl Fn() -> Vec<u8> + Sync) {
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                assert_eq!(call(), JOBS.as_bytes());
            });
        }
    });
}

#[test]
fn one_token_request_at_the_start() {
    let service = Service::start();
    let client = service.client(Form::Driven);
    want_jobs(|| client.list_jobs().unwrap());
    assert_eq!(service.count(), (1, THREADS));
}

#[test]
fn one_token_request_at_a_renewal() {
    let service = Service::start();
    let driver = driver(&service);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let list_jobs_at = |now: u64| driver.call("list_jobs", input(now)).unwrap();
    assert_eq!(list_jobs_at(now), JOBS.as_bytes());
    want_jobs(|| list_jobs_at(now + 3600 - 30));
    assert_eq!(service.count(), (2, 1 + THREADS));
}

#[test]
fn one_token_request_after_a_revocation() {
    let service = Service::start();
    let client = service.client(Form::Driven);
    client.list_jobs().unwrap();
    let all_there = Arc::new(Barrier::new(THREADS));
    service.on_jobs(move |request| {
        if request.header("authorization") == Some("Bearer token-2") {
            return answer(200, JOBS);
        }
        all_there.wait();
        answer(401, "")
    });
    want_jobs(|| client.list_jobs().unwrap());
    assert_eq!(service.count(), (2, 1 + 2 * THREADS));
}

/// Each answer waits until all requests are there.
#[test]
fn requests_to_the_service_do_not_wait_for_each_other() {
    let service = Service::start();
    let client = service.client(Form::Driven);
    let all_there = Arc::new(Barrier::new(THREADS));
    service.on_jobs(move |_| {
        all_there.wait();
        answer(200, JOBS)
    });
    want_jobs(|| client.list_jobs().unwrap());
}

/// A driver for an instance that is made with the SDK alone.
fn driver(service: &Service) -> Driver {
    let config = [
        ("environment", "stage"),
        ("auth_url", &service.url),
        ("base_url", &service.url),
        ("client_id", "client"),
        ("client_secret", SECRET),
        ("customer_id", "customer"),
        ("user_id", "user"),
    ];
    let manifest =
        Manifest::new([Wasm::data(fs::read(WASM).unwrap())]).with_config(config.into_iter());
    let plugin = PluginBuilder::new(manifest).with_wasi(true).build().expect("the plugin loads");
    Driver::new(plugin, Http::new().expect("there are certificates"), Some(PATIENCE))
}

fn input(now: u64) -> Map<String, Value> {
    [("now".into(), json!(now))].into_iter().collect()
}
