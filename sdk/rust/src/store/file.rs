use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use ring::digest::{SHA256, digest};
use tokio::task::spawn_blocking;

use crate::{Cause, Store};

/// Shares the token among the processes of one machine, in any of the languages, concurrently or one after the other.
///
/// A value is a file that only its owner can read, and is replaced as a whole. No process waits for a lock, and a
/// process may die at any point.
#[derive(Clone, Debug)]
pub struct FileStore(PathBuf);

/// How much of a file is read: the expiry and more than the longest value, in bytes.
const MAX_FILE: usize = 128 << 10;

/// A temporary file that is older belongs to a process that died.
const TEMPORARY: Duration = Duration::from_mins(1);

impl FileStore {
    /// Opens a store in this folder, which is created if missing.
    ///
    /// # Errors
    /// If the folder cannot be created or written to. The error names it.
    pub fn new(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let store = Self(folder.into());
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let created = builder.recursive(true).create(&store.0);
        let prepared = created.and_then(|()| write(&store.path("probe"), "", |_, _| Ok(())));
        prepared.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", store.0.display())))?;
        Ok(store)
    }

    fn path(&self, key: &str) -> PathBuf {
        let hash = digest(&SHA256, key.as_bytes());
        self.0.join(hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// Writes a value to a temporary file, which `publish` then gives the name of the key's file.
    async fn put(
        &self,
        key: &str,
        value: &str,
        ttl: Duration,
        publish: fn(&Path, &Path) -> io::Result<()>,
    ) -> io::Result<()> {
        let (path, content) = (self.path(key), format!("{}\n{value}", millis() + ttl.as_millis()));
        spawn_blocking(move || write(&path, &content, publish)).await?
    }
}

#[async_trait]
impl Store for FileStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        let path = self.path(key);
        Ok(spawn_blocking(move || read(&path)).await??)
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        let added = self.put(key, value, ttl, |new, path| {
            if path.exists() && read(path)?.is_none() {
                match fs::remove_file(path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                    _ => {} // its value has expired, and another process may have removed it
                }
            }
            fs::hard_link(new, path)
        });
        match added.await {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            added => Ok(added.map(|()| true)?),
        }
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        Ok(self.put(key, value, ttl, replace).await?)
    }
}

/// Reads a value that has not expired.
fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let mut content = Vec::new();
    if file.take(MAX_FILE as u64).read_to_end(&mut content)? == MAX_FILE {
        return Err(io::Error::other("the file is too large"));
    }
    let content = String::from_utf8(content).unwrap_or_default();
    let (expiry, value) = content.split_once('\n').unwrap_or_default();
    let signed = expiry.starts_with('+'); // which parse accepts
    Ok(expiry.parse().is_ok_and(|expiry: u128| expiry > millis() && !signed).then(|| value.into()))
}

/// Removes the temporary files of processes that died.
fn remove_old(folder: &Path) -> io::Result<()> {
    for file in fs::read_dir(folder)?.flatten() {
        let age = file.metadata().and_then(|metadata| metadata.modified()).map(|modified| modified.elapsed());
        if is_temporary(&file.file_name().to_string_lossy()) && matches!(age, Ok(Ok(age)) if age > TEMPORARY) {
            let _ = fs::remove_file(file.path()); // unless another process has
        }
    }
    Ok(())
}

/// Returns whether a file has the name of a temporary one of a store, in any of the languages.
fn is_temporary(name: &str) -> bool {
    let hexadecimal = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let parts = name.split_once(".tmp.");
    parts.is_some_and(|(hash, random)| {
        hash.len() == 64 && hexadecimal(hash) && !random.is_empty() && hexadecimal(random)
    })
}

/// Renames a file. It retries for half a second, because Windows replaces no file while another process reads it.
fn replace(new: &Path, path: &Path) -> io::Result<()> {
    for _ in 1..20 {
        if fs::rename(new, path).is_ok() {
            return Ok(());
        }
        sleep(Duration::from_millis(25));
    }
    fs::rename(new, path)
}

fn millis() -> u128 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis()
}

/// Writes a temporary file, and publishes it as this one.
fn write(path: &Path, content: &str, publish: impl FnOnce(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    remove_old(path.parent().unwrap_or(path))?;
    let new = path.with_added_extension(format!("tmp.{:032x}", fastrand::u128(..)));
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.write(true).create_new(true).open(&new)?;
    let published = file.write_all(content.as_bytes()).and_then(|()| publish(&new, path));
    let _ = fs::remove_file(&new);
    published
}
