use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use automatic_rostering::{FileStore, MemoryStore, Options, RedisStore, Store, redis};
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
    let folder = directory.path().join("made/by it");
    let open = || Arc::new(FileStore::new(&folder).unwrap());
    keeps_what_it_is_told(open(), open()).await;
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names.len(), 5, "{names:?}"); // one for each key, the token and its lock
    #[cfg(unix)]
    for (path, expected) in [(folder.clone(), 0o700), (folder.join(&names[0]), 0o600)] {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, expected);
    }
    let under_a_file = FileStore::new("/dev/null/none").unwrap_err();
    assert!(under_a_file.to_string().contains("/dev/null/none"), "{under_a_file}");
}

/// The format that docs/fleet.md specifies for all languages.
#[tokio::test]
async fn format_of_the_files() {
    const HASH: &str = "2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683"; // of "key"
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path()).unwrap();
    let path = |name: &str| directory.path().join(name);
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    for (content, expected) in [
        ("4102444800000\nten\nten".into(), Some("ten\nten")),
        (format!("{}\nexpired", now - 1), None),
        ("no expiry".into(), None),
        ("4102444800000".into(), None),
    ] {
        fs::write(path(HASH), &content).unwrap();
        assert_eq!(store.get("key").await.unwrap().as_deref(), expected, "{content}");
    }
    fs::write(path(HASH), b"4102444800000\n\xff").unwrap();
    assert_eq!(store.get("key").await.unwrap(), None);

    // Files of a process that died, and of one that is writing.
    let (dead, alive) = (format!("{}.tmp.00", "a".repeat(64)), format!("{HASH}.tmp.11"));
    for name in [&dead, &alive] {
        fs::write(path(name), "").unwrap();
    }
    let file = fs::File::open(path(&dead)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(61)).unwrap();
    assert!(store.add("key", "new", HOUR).await.unwrap());
    let files = fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(files.collect::<BTreeSet<_>>(), BTreeSet::from([HASH.into(), alive]));
    let content = fs::read_to_string(path(HASH)).unwrap();
    let (expiry, value) = content.split_once('\n').unwrap();
    let expiry: u128 = expiry.parse().unwrap();
    assert!(value == "new" && (now + 3_600_000..now + 3_700_000).contains(&expiry), "{content}");
}

#[tokio::test]
async fn redis_store() {
    let mut server = Redis::start();
    let open = || Arc::new(RedisStore::new(redis::Client::open(server.url.as_str()).unwrap()));
    assert!(!format!("{:?}", open()).contains("password"));
    keeps_what_it_is_told(open(), open()).await;

    // Without Redis, calls continue.
    let sandbox = Sandbox::start();
    let client = sandbox.client_with(Options::default().store(open())).await;
    client.list_jobs().await.unwrap();
    server.process.kill().unwrap();
    server.process.wait().unwrap();
    client.get_new_token().await.unwrap();
    client.list_jobs().await.unwrap();
    assert_eq!(sandbox.counts(), (2, 2));
}

/// Checks what clients need of a store, through two handles of it.
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
        assert!(Instant::now() < end, "it has not expired in time");
        sleep(Duration::from_millis(50)).await;
    }
    assert!(other.add(KEY, "new", HOUR).await.unwrap());
    let adds = (0..20).map(|i| {
        let store = if i % 2 == 0 { store.clone() } else { other.clone() };
        tokio::spawn(async move { store.add("rostering:new", "new", HOUR).await.unwrap() })
    });
    let mut added = 0;
    for add in adds.collect::<Vec<_>>() {
        added += usize::from(add.await.unwrap());
    }
    assert_eq!(added, 1);

    let sandbox = Sandbox::start();
    for store in [store, other] {
        let client = sandbox.client_with(Options::default().store(store)).await;
        client.list_jobs().await.unwrap();
    }
    assert_eq!(sandbox.counts(), (1, 2));
}

/// A Redis server on loopback that keeps nothing on disk, and permits a client no more than it needs.
pub struct Redis {
    pub url: String,
    process: Child,
}

impl Redis {
    pub fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = format!(
            "bind 127.0.0.1\nport {port}\nsave \"\"\nappendonly no\nuser default off\n\
             user rostering on >password ~rostering:* ~k* -@all +get +set\n"
        );
        let mut command = Command::new("redis-server");
        let mut process =
            command.arg("-").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("apt-get install redis-server");
        process.stdin.take().unwrap().write_all(config.as_bytes()).unwrap();
        let mut server = Self { url: format!("redis://rostering:password@127.0.0.1:{port}"), process };
        let end = Instant::now() + PATIENCE;
        while redis::Client::open(server.url.as_str()).unwrap().get_connection().is_err() {
            if server.process.try_wait().unwrap().is_some() {
                return Self::start(); // the port was taken meanwhile
            }
            assert!(Instant::now() < end, "it has not responded in time");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
