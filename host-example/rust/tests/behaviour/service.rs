//! An identity provider and a service in one, on loopback.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rostering::{Config, Rostering};
use serde_json::json;

pub const SECRET: &str = "s3cr3t/+ &";
pub const JOBS: &str = r#"[{"id":1}]"#;
pub const WASM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dist/rostering.wasm");
const TOKEN_TARGET: &str = "POST /connect/token";
const JOBS_TARGET: &str = "GET /jobs";
/// Bounds every wait; no measure of how long things take.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A request that came.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// As in `GET /jobs`.
    pub target: String,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    pub form: HashMap<String, String>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

pub enum Answer {
    Http { status: u16, location: String, body: String },
    Closed,
}

pub fn answer(status: u16, body: impl Into<String>) -> Answer {
    Answer::Http { status, location: String::new(), body: body.into() }
}

pub fn redirect(status: u16, location: &str) -> Answer {
    Answer::Http { status, location: location.into(), body: String::new() }
}

type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

struct State {
    requests: Vec<Request>,
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
            if request.form["client_secret"] != SECRET {
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

    /// The last request for jobs.
    pub fn jobs_request(&self) -> Request {
        let last = self.requests().pop().expect("a request came");
        assert_eq!(last.target, JOBS_TARGET);
        last
    }

    /// How many requests came: for tokens, and for jobs.
    pub fn count(&self) -> (usize, usize) {
        let requests = self.requests();
        let count = |target| requests.iter().filter(|request| request.target == target).count();
        (count(TOKEN_TARGET), count(JOBS_TARGET))
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

    pub fn client(&self) -> Rostering {
        open(&self.config())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no handler panics")
    }
}

pub fn open(config: &Config) -> Rostering {
    Rostering::open(WASM, config).expect("the plugin loads")
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
        // A client that went away is no matter.
        thread::spawn(move || serve(&stream?, &state));
    }
}

fn serve(stream: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let request = read_request(&mut BufReader::new(stream))?;
    let handler = {
        let mut state = state.lock().expect("no handler panics");
        state.requests.push(request.clone());
        match request.target.as_str() {
            TOKEN_TARGET => state.answer_token.clone(),
            JOBS_TARGET => state.answer_jobs.clone(),
            _ => Arc::new(|_: &Request| answer(404, "")),
        }
    };
    write_answer(stream, handler(&request))
}

fn read_request(reader: &mut impl BufRead) -> io::Result<Request> {
    let mut first = String::new();
    reader.read_line(&mut first)?;
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
    request.form = url::form_urlencoded::parse(&body).into_owned().collect();
    Ok(request)
}

fn write_answer(mut stream: &TcpStream, answer: Answer) -> io::Result<()> {
    let Answer::Http { status, location, body } = answer else { return Ok(()) };
    write!(stream, "HTTP/1.1 {status} \r\nConnection: close\r\n")?;
    if !location.is_empty() {
        write!(stream, "Location: {location}\r\n")?;
    }
    write!(stream, "Content-Length: {}\r\n\r\n{body}", body.len())
}
