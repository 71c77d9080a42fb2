//! An identity provider and a service in one, on loopback.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rostering::{Config, Rostering};
use serde_json::json;

use crate::form::Form;

pub const SECRET: &str = "s3cr3t/+ &";
pub const JOBS: &str = r#"[{"id":1}]"#;
pub const WASM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dist/rostering.wasm");
const TOKEN_TARGET: &str = "POST /connect/token";
/// Bounds every wait; no measure of how long things take.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A request that came.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// As in `GET /jobs`.
    pub target: String,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub fn form(&self) -> HashMap<String, String> {
        url::form_urlencoded::parse(self.body.as_bytes()).into_owned().collect()
    }
}

pub enum Answer {
    /// `header` is a whole line, or empty.
    Http { status: u16, header: String, body: String },
    /// Closes the connection.
    Closed,
    /// Does so within the body.
    Cut,
    /// A body that trickles in, for longer than anyone waits.
    Drops,
}

pub fn answer(status: u16, body: impl Into<String>) -> Answer {
    Answer::Http { status, header: String::new(), body: body.into() }
}

pub fn answer_with(status: u16, name: &str, value: &str) -> Answer {
    Answer::Http { status, header: format!("{name}: {value}\r\n"), body: String::new() }
}

pub fn redirect(status: u16, location: &str) -> Answer {
    answer_with(status, "Location", location)
}

type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

struct State {
    requests: Vec<Request>,
    connections: usize,
    answer_token: Handler,
    answer_jobs: Handler,
}

/// Keeps its requests. A test may replace how it answers.
pub struct Service {
    pub url: String,
    address: SocketAddr,
    state: Arc<Mutex<State>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it listens");
        let state = Arc::new(Mutex::new(State {
            requests: Vec::new(),
            connections: 0,
            answer_token: Arc::new(|_| Answer::Closed),
            answer_jobs: Arc::new(|_| Answer::Closed),
        }));
        let stopped = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn({
            let (state, stopped) = (state.clone(), stopped.clone());
            move || listen(&listener, &state, &stopped)
        });
        let url = format!("http://{address}");
        let service = Self { url, address, state, stopped, thread: Some(thread) };
        service.mend();
        service
    }

    /// Has it answer well again. Each token is another one.
    pub fn mend(&self) {
        let count = AtomicUsize::new(1);
        self.on_token(move |request| {
            if request.form()["client_secret"] != SECRET {
                return answer(401, r#"{"error":"invalid_client","error_description":"unknown"}"#);
            }
            let count = count.fetch_add(1, Ordering::SeqCst);
            let token = format!("token-{count}");
            let token =
                json!({ "access_token": token, "token_type": "Bearer", "expires_in": 3600 });
            answer(200, token.to_string())
        });
        self.on_jobs(|_| answer(200, JOBS));
    }

    pub fn on_token(&self, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.state().answer_token = Arc::new(handler);
    }

    pub fn on_jobs(&self, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.state().answer_jobs = Arc::new(handler);
    }

    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// The last request, which is not for a token.
    pub fn jobs_request(&self) -> Request {
        let last = self.requests().pop().expect("a request came");
        assert_ne!(last.target, TOKEN_TARGET);
        last
    }

    /// How many requests came: for tokens, and others.
    pub fn count(&self) -> (usize, usize) {
        let requests = self.requests();
        let tokens = requests.iter().filter(|request| request.target == TOKEN_TARGET).count();
        (tokens, requests.len() - tokens)
    }

    pub fn connections(&self) -> usize {
        self.state().connections
    }

    pub fn config(&self) -> Config {
        Config {
            environment: "stage".into(),
            auth_url: self.url.clone(),
            base_url: self.url.clone(),
            client_id: "client".into(),
            client_secret: SECRET.into(),
            customer_id: "customer".into(),
            user_id: "user".into(),
            timeout: Some(PATIENCE),
            ..Config::default()
        }
    }

    pub fn client(&self, form: Form) -> Rostering {
        form.open(&self.config())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no handler panics")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address)); // wakes it up
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the service ends");
        }
    }
}

/// Serves each connection in a thread of its own, because a handler may wait.
fn listen(listener: &TcpListener, state: &Arc<Mutex<State>>, stopped: &AtomicBool) {
    for stream in listener.incoming() {
        if stopped.load(Ordering::SeqCst) {
            return;
        }
        let state = state.clone();
        state.lock().expect("no handler panics").connections += 1;
        // A client that went away is no matter.
        thread::spawn(move || serve(&stream?, &state));
    }
}

fn serve(stream: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    loop {
        let request = read_request(&mut reader)?;
        let handler = {
            let mut state = state.lock().expect("no handler panics");
            state.requests.push(request.clone());
            match request.target.split_once(' ') {
                _ if request.target == TOKEN_TARGET => state.answer_token.clone(),
                Some((_, path)) if path.starts_with("/jobs") => state.answer_jobs.clone(),
                _ => Arc::new(|_: &Request| answer(404, "")),
            }
        };
        match handler(&request) {
            Answer::Http { status, header, body } => {
                write_answer(stream, status, &header, body.len(), &body)?;
            }
            Answer::Closed => return Ok(()),
            Answer::Cut => return write_answer(stream, 200, "", 9, "["),
            Answer::Drops => return drip(stream),
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> io::Result<Request> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let target = first.trim_end().trim_end_matches(" HTTP/1.1").into();
    let mut request = Request { target, ..Request::default() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        request.headers.insert(name.to_lowercase(), value.into());
    }
    let length = request.header("content-length").map_or(0, |n| n.parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.body = String::from_utf8(body).expect("text");
    Ok(request)
}

fn write_answer(
    mut stream: &TcpStream,
    status: u16,
    header: &str,
    length: usize,
    body: &str,
) -> io::Result<()> {
    let length = format!("Content-Length: {length}\r\n");
    // In one piece: the system holds back further small ones.
    stream.write_all(format!("HTTP/1.1 {status} \r\n{header}{length}\r\n{body}").as_bytes())
}

fn drip(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 \r\n\r\n")?;
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        stream.write_all(b" ")?;
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
