//! An identity provider and a service in one, on loopback.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread;
use std::time::Duration;

use rostering::{Client, Config, Environment, Options};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

pub const SECRET: &str = "s3cr3t/+ &";
pub const JOBS: &str = r#"[{"id":1}]"#;
/// Bounds every wait; not a measure of how long things take.
pub const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone)]
pub struct Request {
    /// As in `GET /jobs`.
    pub target: String,
    /// By their names in lower case.
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

/// Status and body.
pub type Answer = (u16, String);
type Handler = Arc<dyn Fn(&Request) -> Answer + Send + Sync>;

struct State {
    requests: Vec<Request>,
    token: Handler,
    jobs: Handler,
}

pub struct Service {
    pub url: String,
    state: Arc<Mutex<State>>,
}

impl Service {
    /// Its tokens are `access-token-1`, `access-token-2` and so on.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let url = format!("http://{}", listener.local_addr().expect("it listens"));
        let count = Mutex::new(0);
        let token: Handler = Arc::new(move |request| {
            if !String::from_utf8_lossy(&request.body).contains("client_secret=s3cr3t%2F%2B+%26") {
                return (401, r#"{"error":"invalid_client","error_description":"unknown"}"#.into());
            }
            let mut count = count.lock().unwrap();
            *count += 1;
            (200, format!(r#"{{"access_token":"access-token-{count}","token_type":"Bearer","expires_in":3600}}"#))
        });
        let jobs: Handler = Arc::new(|_| (200, JOBS.into()));
        let state = Arc::new(Mutex::new(State { requests: Vec::new(), token, jobs }));
        let service = Self { url, state: state.clone() };
        thread::spawn(move || {
            for stream in listener.incoming() {
                let state = state.clone();
                thread::spawn(move || serve(&stream?, &state));
            }
        });
        service
    }

    pub fn on_jobs(&self, handler: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        self.state().jobs = Arc::new(handler);
    }

    /// Holds token requests back.
    pub fn hold_tokens(&self) -> Held {
        hold(&mut self.state().token)
    }

    /// Holds other requests back.
    pub fn hold_jobs(&self) -> Held {
        hold(&mut self.state().jobs)
    }

    /// How many requests came: for tokens, and others.
    pub fn count(&self) -> (usize, usize) {
        let state = self.state();
        let tokens = state.requests.iter().filter(|request| is_for_token(request)).count();
        (tokens, state.requests.len() - tokens)
    }

    pub fn last(&self) -> Request {
        self.state().requests.last().expect("a request came").clone()
    }

    pub fn config(&self) -> Config {
        Config {
            environment: Some(Environment::Stage),
            auth_url: self.url.clone(),
            base_url: self.url.clone(),
            client_id: "client".into(),
            client_secret: SECRET.into(),
            customer_id: "customer".into(),
            user_id: "user".into(),
            ..Config::default()
        }
    }

    pub async fn client(&self) -> Client {
        self.client_with(Options::default()).await
    }

    pub async fn client_with(&self, options: Options) -> Client {
        Client::open(&self.config(), options).await.expect("the plugin loads")
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no handler panics")
    }
}

/// Requests that are held back until this is dropped.
pub struct Held {
    came: UnboundedReceiver<()>,
    _answer_when_dropped: mpsc::Sender<()>,
}

impl Held {
    /// Waits for the next of them.
    pub async fn came(&mut self) {
        timeout(PATIENCE, self.came.recv()).await.expect("a request comes");
    }
}

fn hold(handler: &mut Handler) -> Held {
    let (sender, dropped) = mpsc::channel();
    let (tell, came) = unbounded_channel();
    let (dropped, answer) = (Mutex::new(dropped), handler.clone());
    *handler = Arc::new(move |request| {
        let _ = tell.send(());
        let _ = dropped.lock().unwrap().recv_timeout(PATIENCE);
        answer(request)
    });
    Held { came, _answer_when_dropped: sender }
}

fn is_for_token(request: &Request) -> bool {
    request.target == "POST /connect/token"
}

fn serve(stream: &TcpStream, state: &Mutex<State>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    loop {
        let request = read(&mut reader)?;
        let handler = {
            let mut state = state.lock().expect("no handler panics");
            state.requests.push(request.clone());
            if is_for_token(&request) { state.token.clone() } else { state.jobs.clone() }
        };
        let (status, body) = handler(&request);
        let head = format!("HTTP/1.1 {status} \r\nContent-Length: {}\r\nX-Page: 2\r\n\r\n", body.len());
        (&*stream).write_all((head + &body).as_bytes())?; // in one piece: the system delays further small ones
    }
}

fn read(reader: &mut impl BufRead) -> io::Result<Request> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let headers = lines[1..].iter().filter_map(|line| line.split_once(": "));
    let headers: HashMap<_, _> = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let mut body = vec![0; headers.get("content-length").map_or(0, |length| length.parse().expect("a number"))];
    reader.read_exact(&mut body)?;
    while headers.contains_key("transfer-encoding") {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim_end(), 16).expect("a chunk");
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        body.extend(&chunk[..size]);
        if size == 0 {
            break;
        }
    }
    Ok(Request { target: lines[0].trim_end_matches(" HTTP/1.1").into(), headers, body })
}
