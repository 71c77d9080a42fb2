use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::task::spawn_blocking;

use crate::{Cause, Store};

/// Shares the token among processes of one machine, at once or one after the other, by a file for each key, which its
/// owner alone can read.
#[derive(Clone, Debug)]
pub struct FileStore(PathBuf);

impl FileStore {
    /// Keeps the files in this directory, which is created if missing.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self(directory.into())
    }

    /// A key may be too long for a file name, so its hash makes the name unique. The plugin checks what it reads.
    fn path(&self, key: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let start: String = key.chars().take(100).map(plain).collect();
        let fnv1a = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.0.join(format!("{start}-{:016x}", key.bytes().fold(0xcbf2_9ce4_8422_2325, fnv1a)))
    }

    /// A file is its expiry in Unix milliseconds, a line feed and the value.
    fn read(&self, key: &str) -> io::Result<Option<String>> {
        let text = match fs::read_to_string(self.path(key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let living = |(expiry, _): &(&str, &str)| expiry.parse().is_ok_and(|expiry: u128| expiry > millis());
        Ok(text.split_once('\n').filter(living).map(|(_, value)| value.into()))
    }

    async fn put(&self, key: &str, value: &str, ttl: Duration, replace: bool) -> Result<bool, Cause> {
        let (store, key, value) = (self.clone(), key.to_owned(), value.to_owned());
        Ok(spawn_blocking(move || store.write(&key, &value, ttl, replace)).await??)
    }

    fn write(&self, key: &str, value: &str, ttl: Duration, replace: bool) -> io::Result<bool> {
        fs::create_dir_all(&self.0)?;
        // One writer at a time; the system frees the lock of a process that dies.
        let lock = File::create(self.0.join("lock"))?;
        lock.lock()?;
        if !replace && self.read(key)?.is_some() {
            return Ok(false);
        }
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Readers take no lock, and must find a whole file.
        let new = self.0.join("new");
        let mut file = options.write(true).create(true).truncate(true).open(&new)?;
        write!(file, "{}\n{value}", millis() + ttl.as_millis())?;
        fs::rename(new, self.path(key))?;
        Ok(true)
    }
}

fn millis() -> u128 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis()
}

#[async_trait]
impl Store for FileStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        let (store, key) = (self.clone(), key.to_owned());
        Ok(spawn_blocking(move || store.read(&key)).await??)
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        self.put(key, value, ttl, false).await
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.put(key, value, ttl, true).await.map(drop)
    }
}
