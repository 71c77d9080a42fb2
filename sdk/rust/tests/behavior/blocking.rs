use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use automatic_rostering::blocking::Client;
use automatic_rostering::{Code, Options, Request, reqwest::Method};
use tokio::runtime::Builder;

use crate::api::call_error;
use crate::sandbox::{PATIENCE, Sandbox};

fn call() {
    let sandbox = Sandbox::start();
    let client = Client::open(&sandbox.config(), Options::default()).unwrap();
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| client.list_jobs().unwrap());
        }
    });
    assert_eq!(sandbox.counts(), (1, 20));
    for _ in 0..100 {
        client.for_customer("c2").for_user("u2").list_jobs().unwrap(); // more often than a task may without yielding
    }
    client.send_request(Request::new(Method::GET, "/jobs")).unwrap();
    let token = client.get_token().unwrap();
    // A service may not know one of a few seconds yet: it is not replaced.
    assert_eq!(call_error(client.replace_token(token.access_token.expose())).code, Code::ServiceUnauthorized);
    client.clear_token().unwrap();
    client.set_token(&client.get_new_token().unwrap()).unwrap();
    client.set_secret("other").unwrap();
    let invalid = call_error(client.set_secret("a\nb"));
    assert_eq!((invalid.code, invalid.key.as_deref()), (Code::ConfigInvalid, Some("client_secret")));
    assert_eq!(call_error(client.get_new_token()).code, Code::TokenEndpointRejected);
    client.with_headers([("X-Trace", "t")]).list_jobs().unwrap();
    client.close_within(PATIENCE);
    client.close();
    let status = client.status();
    assert_eq!(status.failed_calls, [(Code::TokenEndpointRejected, 1), (Code::ServiceUnauthorized, 1)].into());
    assert!(status.token_requests > status.failed_token_requests && status.service_requests == 122, "{status:?}");
    assert!(call_error(client.with_timeout(None).list_jobs()).code == Code::Closed);
}

#[test]
fn in_threads() {
    call();
}

#[test]
fn in_async_code() {
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        let runtime = builder.build().unwrap(); // with neither I/O nor timers enabled
        runtime.block_on(async { call() });
        runtime.block_on(async { tokio::spawn(async { call() }).await.unwrap() });
    }
}

/// A status never waits for a flow, nor a flow for a status.
#[test]
fn status_during_flows() {
    let (sandbox, (sender, done)) = (Sandbox::start(), mpsc::channel());
    let client = Client::open(&sandbox.config(), Options::default()).unwrap();
    for _ in 0..4 {
        let (client, sender) = (client.clone(), sender.clone());
        thread::spawn(move || {
            for _ in 0..50 {
                client.get_new_token().unwrap();
                (0..20).for_each(|_| drop(client.status()));
            }
            sender.send(()).unwrap();
        });
    }
    for _ in 0..4 {
        done.recv_timeout(PATIENCE).unwrap();
    }
    assert_eq!(client.status().calls, 200);
}

/// Another call ends while a server sends informational responses without a pause, which hyper skips without yielding.
#[test]
fn flood_of_informational_responses() {
    let (sandbox, listener) = (Sandbox::start(), TcpListener::bind("127.0.0.1:0").unwrap());
    let mut config = sandbox.config();
    config.base_url = format!("http://{}", listener.local_addr().unwrap());
    let [flooded, other] = [config, sandbox.config()].map(|config| Client::open(&config, Options::default()).unwrap());
    let (sender, begun) = mpsc::channel();
    let flood = thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let _ = connection.read(&mut [0; 4096]).unwrap(); // the request
        let hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10_000);
        while connection.write_all(hints.as_bytes()).is_ok() {
            let _ = sender.send(());
        }
    });
    let view = flooded.clone();
    let call = thread::spawn(move || view.list_jobs());
    (0..20).for_each(|_| begun.recv_timeout(PATIENCE).unwrap());
    for _ in 0..500 {
        other.list_jobs().unwrap();
    }
    assert!(!flood.is_finished());
    flooded.close_within(Duration::ZERO);
    assert_eq!(call_error(call.join().unwrap()).code, Code::Closed);
    flood.join().unwrap();
}
