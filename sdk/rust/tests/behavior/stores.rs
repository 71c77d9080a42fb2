use std::io::{ErrorKind, Write, stderr};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rostering::{FileStore, MemoryStore, Options, RedisStore, Store, redis};
use tokio::time::sleep;

use crate::sandbox::{PATIENCE, Sandbox};

const HOUR: Duration = Duration::from_hours(1);
const KEY: &str = "rostering:https%3A%2F%2Flogin.example.com:client:scope";

#[tokio::test]
async fn memory() {
    let store = Arc::new(MemoryStore::default());
    keeps_what_it_is_told(store.clone(), store).await;
}

#[tokio::test]
async fn file() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Arc::new(FileStore::new(directory.path().join("made/by it")));
    keeps_what_it_is_told(open(), open()).await;
    #[cfg(unix)]
    for file in std::fs::read_dir(directory.path().join("made/by it")).unwrap().map(Result::unwrap) {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata().unwrap().permissions().mode();
        assert!(mode.trailing_zeros() >= 6 || file.file_name() == "lock", "{file:?}: {mode:o}");
    }
    let under_a_file = FileStore::new("/dev/null/none");
    assert!(under_a_file.add(KEY, "1", HOUR).await.is_err());
}

#[tokio::test]
async fn redis_store() {
    let Some(mut server) = Redis::start() else { return };
    let open = || Arc::new(RedisStore::new(redis::Client::open(server.url.as_str()).unwrap()));
    keeps_what_it_is_told(open(), open()).await;

    // Without Redis, calls go on.
    let sandbox = Sandbox::start();
    let client = sandbox.client_with(Options { store: Some(open()), ..Options::default() }).await;
    client.list_jobs().await.unwrap();
    server.process.kill().unwrap();
    server.process.wait().unwrap();
    client.get_new_token().await.unwrap();
    client.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (2, 2));
}

/// What clients need of a store, through two handles of it.
async fn keeps_what_it_is_told(store: Arc<dyn Store>, other: Arc<dyn Store>) {
    let long = "k".repeat(507);
    assert_eq!(store.get(KEY).await.unwrap(), None);
    for (key, value) in [(KEY, "line\nbreak, grün"), (&long, "")] {
        assert!(store.add(key, value, HOUR).await.unwrap());
        assert!(!other.add(key, "other", HOUR).await.unwrap());
        assert_eq!(other.get(key).await.unwrap().as_deref(), Some(value));
        other.set(key, "other", HOUR).await.unwrap();
        assert_eq!(store.get(key).await.unwrap().as_deref(), Some("other"));
    }

    store.set(KEY, "short", Duration::from_secs(1)).await.unwrap();
    let end = Instant::now() + PATIENCE;
    while store.get(KEY).await.unwrap().is_some() {
        assert!(Instant::now() < end, "it does not expire");
        sleep(Duration::from_millis(50)).await;
    }
    let adds = (0..20).map(|i| {
        let store = if i % 2 == 0 { store.clone() } else { other.clone() };
        tokio::spawn(async move { store.add(KEY, "new", HOUR).await.unwrap() })
    });
    let mut added = 0;
    for add in adds.collect::<Vec<_>>() {
        added += usize::from(add.await.unwrap());
    }
    assert_eq!(added, 1);

    let sandbox = Sandbox::start();
    for store in [store, other] {
        let client = sandbox.client_with(Options { store: Some(store), ..Options::default() }).await;
        client.list_jobs().await.unwrap();
    }
    assert_eq!(sandbox.counts(), (1, 2));
}

/// A server on loopback that keeps nothing on disk, and lets a client do what it needs and no more.
pub struct Redis {
    pub url: String,
    process: Child,
}

impl Redis {
    /// None if redis-server is missing and CI is not true: the test is skipped.
    pub fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = format!(
            "bind 127.0.0.1\nport {port}\nsave \"\"\nappendonly no\nuser default off\n\
             user rostering on >password ~rostering:* ~k* -@all +get +set\n"
        );
        let mut command = Command::new("redis-server");
        let command = command.arg("-").stdin(Stdio::piped()).stdout(Stdio::null());
        let mut process = match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound && std::env::var("CI").as_deref() != Ok("true") => {
                // Not eprintln!, which shows for failures alone.
                stderr().write_all(b"skipped: redis-server is missing: apt-get install redis-server\n").unwrap();
                return None;
            }
            spawned => spawned.expect("apt-get install redis-server"),
        };
        process.stdin.take().unwrap().write_all(config.as_bytes()).unwrap();
        let mut server = Self { url: format!("redis://rostering:password@127.0.0.1:{port}"), process };
        let end = Instant::now() + PATIENCE;
        while redis::Client::open(server.url.as_str()).unwrap().get_connection().is_err() {
            if server.process.try_wait().unwrap().is_some() {
                return Self::start(); // the port was taken meanwhile
            }
            assert!(Instant::now() < end, "it does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
