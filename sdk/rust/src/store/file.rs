use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use ring::digest::{SHA256, digest};
use tokio::task::spawn_blocking;

use crate::{Cause, Store};

/// Shares the token among the processes of one machine, in any of the languages, at once or one after the other.
///
/// A value is a file that only its owner can read, and is replaced as a whole. So no process waits for a lock, and one may
/// die at any point.
#[derive(Clone, Debug)]
pub struct FileStore(PathBuf);

/// A temporary file that is older belongs to a process that died.
const TEMPORARY: Duration = Duration::from_mins(1);

impl FileStore {
    /// Opens a store in this folder, which is created if missing.
    ///
    /// # Errors
    /// If the folder cannot be created or written to. The error names it.
    pub fn new(folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        let prepare = || {
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.recursive(true).create(&folder)?;
            let probe = temporary(&folder.join("probe"));
            create(&probe, "").and_then(|()| fs::remove_file(&probe))
        };
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
        prepare().map_err(named)?;
        Ok(Self(folder))
    }

    fn path(&self, key: &str) -> PathBuf {
        let hash = digest(&SHA256, key.as_bytes());
        self.0.join(hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// Adds or sets a value. Returns whether it did.
    async fn put(&self, key: &str, value: &str, ttl: Duration, replace: bool) -> Result<bool, Cause> {
        let (folder, path) = (self.0.clone(), self.path(key));
        let content = format!("{}\n{value}", millis() + ttl.as_millis());
        Ok(spawn_blocking(move || {
            if !replace && path.exists() {
                if read(&path)?.is_some() {
                    return Ok(false);
                }
                remove(&path)?;
            }
            remove_old(&folder)?;
            let new = temporary(&path);
            let publish = if replace { fs::rename } else { fs::hard_link };
            let published = create(&new, &content).and_then(|()| publish(&new, &path));
            remove(&new)?;
            match published {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false), // another process was faster
                published => published.map(|()| true),
            }
        })
        .await??)
    }
}

#[async_trait]
impl Store for FileStore {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        let path = self.path(key);
        Ok(spawn_blocking(move || read(&path)).await??)
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        self.put(key, value, ttl, false).await
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.put(key, value, ttl, true).await.map(drop)
    }
}

/// Reads a value that has not expired.
fn read(path: &Path) -> io::Result<Option<String>> {
    let content = match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        content => String::from_utf8(content?).unwrap_or_default(),
    };
    let (expiry, value) = content.split_once('\n').unwrap_or_default();
    let signed = expiry.starts_with('+'); // which parse accepts
    Ok(expiry.parse().is_ok_and(|expiry: u128| expiry > millis() && !signed).then(|| value.into()))
}

/// Removes the temporary files of processes that died.
fn remove_old(folder: &Path) -> io::Result<()> {
    for file in fs::read_dir(folder)? {
        let file = file?;
        let age = file.metadata().and_then(|metadata| metadata.modified()).map(|modified| modified.elapsed());
        if file.file_name().to_string_lossy().contains(".tmp.") && matches!(age, Ok(Ok(age)) if age > TEMPORARY) {
            remove(&file.path())?;
        }
    }
    Ok(())
}

/// Removes a file that another process may have removed.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn millis() -> u128 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_millis()
}

/// A new name for a file that becomes this one.
fn temporary(path: &Path) -> PathBuf {
    path.with_added_extension(format!("tmp.{:032x}", fastrand::u128(..)))
}

fn create(path: &Path, content: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)?.write_all(content.as_bytes())
}
