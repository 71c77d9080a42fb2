//! Connections: those of runtimes, and what servers do with them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use automatic_rostering::reqwest::{Method, Proxy};
use automatic_rostering::{Client, Code, Error, Options, Reason, Request, Response, block_on};
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

/// Serves one connection after the other: this many responses, and then reads another request and closes it. Returns the
/// number of requests.
fn serve(listener: &TcpListener, responses: &[(usize, String)]) -> usize {
    let mut requests = 0;
    for (most, response) in responses {
        let (mut connection, _) = listener.accept().unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        for n in 0..=*most {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if connection.read(&mut byte).unwrap() == 0 {
                    return requests;
                }
                head.push(byte[0]);
            }
            requests += 1;
            if n < *most {
                connection.write_all(response.as_bytes()).unwrap();
            }
        }
    }
    requests
}

/// Makes a call with each method, and returns their results and the number of requests.
fn calls(methods: &[Method], responses: &[(usize, String)]) -> (Vec<Result<Response, Error>>, usize) {
    let (sandbox, listener) = (Sandbox::start(), TcpListener::bind("127.0.0.1:0").unwrap());
    let (mut config, address) = (sandbox.config(), listener.local_addr().unwrap());
    config.base_url = format!("http://{address}");
    thread::scope(|scope| {
        let server = scope.spawn(move || serve(&listener, responses));
        let client = block_on(Client::open(&config, Options::default())).unwrap();
        let send = |method: &Method| block_on(client.send_request(Request::new(method.clone(), "/jobs")));
        let results = methods.iter().map(send).collect();
        block_on(client.close()); // and its connections
        drop(TcpStream::connect(address)); // for a server that waits for one
        (results, server.join().unwrap())
    })
}

/// A server closes an idle connection just as the next request arrives: a GET is sent once more.
#[test]
fn idle_connection_that_is_closed() {
    let jobs = || "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".to_owned();
    let (results, requests) = calls(&[Method::GET, Method::GET], &[(1, jobs()), (9, jobs())]);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(requests, 3);
    let (results, requests) = calls(&[Method::GET, Method::POST], &[(1, jobs()), (9, jobs())]);
    assert_eq!(call_error(results.into_iter().nth(1).unwrap()).code, Code::NetworkError);
    assert_eq!(requests, 2);
    let (results, requests) = calls(&[Method::GET, Method::GET], &[(1, jobs()), (0, jobs()), (9, jobs())]);
    assert_eq!(call_error(results.into_iter().nth(1).unwrap()).code, Code::NetworkError);
    assert_eq!(requests, 3); // never once more than that
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
        let refusal = "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n".to_owned();
        scope.spawn(|| serve(&listener, &[(1, refusal)]));
        let refused = Options::default().http(move |http| http.proxy(Proxy::https(&proxy).unwrap()));
        assert_eq!(reason(refused), Some(Reason::Proxy));
    });
}

#[test]
fn many_headers() {
    let header = |n| format!("X-Header-{n}: {n}\r\n");
    let headers: String = (0..240).map(header).collect();
    let response = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: 2\r\n\r\n{{}}");
    let (results, _) = calls(&[Method::GET], &[(9, response)]);
    assert_eq!(results[0].as_ref().unwrap().headers["x-header-239"], "239");
}
