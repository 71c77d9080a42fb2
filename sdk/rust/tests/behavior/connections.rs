//! Connections: those of runtimes, and what servers do with them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use automatic_rostering::reqwest::Proxy;
use automatic_rostering::{Client, Code, Options, Reason, block_on};
use tokio::runtime::{Builder, Runtime};

use crate::api::{call_error, choose_provider};
use crate::config::{CHILD, in_child};
use crate::sandbox::{PATIENCE, Sandbox};

/// A runtime that does nothing while nobody waits in it.
pub fn still() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// The connections of a runtime that stands still, or ends, are not used in another one.
#[test]
fn runtimes() {
    let sandbox = Sandbox::start();
    let first = still();
    let client = first.block_on(sandbox.client()).with_timeout(Duration::from_secs(20));
    for _ in 0..2 {
        first.block_on(client.list_jobs()).unwrap();
        still().block_on(client.list_jobs()).unwrap();
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50).for_each(|_| drop(still().block_on(client.list_jobs()).unwrap())));
        }
    });
    assert_eq!(sandbox.counts(), (1, 204));
}

/// Time that a test has paused runs ahead while it waits for a response.
#[tokio::test(start_paused = true)]
async fn paused_time() {
    let sandbox = Sandbox::start();
    sandbox.fault(&serde_json::json!({ "server": "auth", "delay_ms": 200, "requests": 1 }));
    sandbox.client().await.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (1, 1));
}

/// A client belongs to the process that opened it.
#[cfg(unix)]
#[test]
#[expect(unsafe_code, reason = "nothing else forks")]
fn fork() {
    unsafe extern "C" {
        safe fn fork() -> i32;
        safe fn alarm(seconds: u32) -> u32;
        safe fn _exit(status: i32) -> !;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    }
    if std::env::var(CHILD).is_err() {
        return drop(in_child::<&str>("connections::fork", []));
    }
    let sandbox = Sandbox::start();
    let open = || block_on(Client::open(&sandbox.config(), Options::default())).unwrap();
    let client = open();
    block_on(client.list_jobs()).unwrap();
    let child = fork();
    if child == 0 {
        alarm(60); // ends it if it hangs
        let error = call_error(block_on(client.list_jobs()));
        let refused = error.code == Code::Closed && error.message.contains("before fork");
        drop(client);
        _exit(i32::from(!refused || block_on(open().list_jobs()).is_err()));
    }
    let mut status = 1;
    assert_eq!(unsafe { waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
    block_on(client.list_jobs()).unwrap();
}

/// Responds to one request, and closes the connection.
fn serve(listener: &TcpListener, response: &str) {
    let (mut connection, _) = listener.accept().unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        connection.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    connection.write_all(response.as_bytes()).unwrap();
}

/// The rules try the other reasons.
#[test]
fn reasons() {
    choose_provider();
    let (sandbox, listener) = (Sandbox::start(), TcpListener::bind("127.0.0.1:0").unwrap());
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let mut config = sandbox.config();
    config.base_url = "https://name.invalid".into();
    let reason = |options: Options| {
        let client = block_on(Client::open(&config, options.timeout(PATIENCE))).unwrap();
        call_error(block_on(client.list_jobs())).reason
    };
    assert_eq!(reason(Options::default()), Some(Reason::NameResolution));
    thread::scope(|scope| {
        let refusal = "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n";
        scope.spawn(|| serve(&listener, refusal));
        let refused = Options::default().http(move |http| http.proxy(Proxy::https(&proxy).unwrap()));
        assert_eq!(reason(refused), Some(Reason::Proxy));
    });
}

#[test]
fn many_headers() {
    let header = |n| format!("X-Header-{n}: {n}\r\n");
    let headers: String = (0..240).map(header).collect();
    let response = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: 2\r\n\r\n{{}}");
    let (sandbox, listener) = (Sandbox::start(), TcpListener::bind("127.0.0.1:0").unwrap());
    let mut config = sandbox.config();
    config.base_url = format!("http://{}", listener.local_addr().unwrap());
    thread::scope(|scope| {
        scope.spawn(|| serve(&listener, &response));
        let client = block_on(Client::open(&config, Options::default())).unwrap();
        assert_eq!(block_on(client.list_jobs()).unwrap().headers["x-header-239"], "239");
    });
}
