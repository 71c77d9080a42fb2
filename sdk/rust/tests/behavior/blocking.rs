//! Calls in code without async.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use automatic_rostering::{Client, Code, Options, block_on};
use tokio::runtime::Builder;

use crate::api::call_error;
use crate::sandbox::{PATIENCE, Sandbox};

fn call() {
    let sandbox = Sandbox::start();
    let client = block_on(sandbox.client());
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| block_on(client.list_jobs()).unwrap());
        }
    });
    assert_eq!(sandbox.counts(), (1, 20));
    for _ in 0..100 {
        block_on(client.list_jobs()).unwrap(); // more often than a task may without yielding
    }
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
    let client = block_on(sandbox.client());
    for _ in 0..4 {
        let (client, sender) = (client.clone(), sender.clone());
        thread::spawn(move || {
            for _ in 0..50 {
                block_on(client.get_new_token()).unwrap();
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
    let open = |config| block_on(Client::open(&config, Options::default())).unwrap();
    let [flooded, other] = [config, sandbox.config()].map(open);
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
    let call = thread::spawn(move || block_on(view.list_jobs()));
    (0..20).for_each(|_| begun.recv_timeout(PATIENCE).unwrap());
    for _ in 0..500 {
        block_on(other.list_jobs()).unwrap();
    }
    assert!(!flood.is_finished());
    block_on(flooded.close_within(Duration::ZERO));
    assert_eq!(call_error(call.join().unwrap()).code, Code::Closed);
    flood.join().unwrap();
}
