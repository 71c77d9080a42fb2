use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use crate::{Cause, Store};

/// Shares the token among the processes of one machine, in any of the languages, at once or one after the other.
///
/// A value is a file that only its owner can read, with a number in its name: the file with the highest counts. So no
/// process waits for a lock, and one may die at any point.
#[derive(Clone, Debug)]
pub struct FileStore(PathBuf);

const ATTEMPTS: u32 = 100;

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
            Temporary::create(&folder, "probe", "").map(drop)
        };
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
        prepare().map_err(named)?;
        Ok(Self(folder))
    }

    /// Returns the numbers of a key's files.
    fn numbers(&self, hash: &str) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for file in fs::read_dir(&self.0)? {
            let name = file?.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(hash)?.strip_prefix('.'));
            numbers.extend(number.and_then(parse));
        }
        Ok(numbers)
    }

    fn path(&self, hash: &str, number: u64) -> PathBuf {
        self.0.join(format!("{hash}.{number}"))
    }

    fn read(&self, key: &str) -> io::Result<Option<String>> {
        let hash = hash(key);
        again(|| match self.numbers(&hash)?.into_iter().max() {
            None => Ok(None),
            Some(number) => self.live(&hash, number),
        })
    }

    /// Returns the value in a file, if it has not expired.
    fn live(&self, hash: &str, number: u64) -> io::Result<Option<String>> {
        let content = String::from_utf8(fs::read(self.path(hash, number))?).unwrap_or_default();
        let (expiry, value) = content.split_once('\n').unwrap_or_default();
        Ok(parse(expiry).filter(|&expiry| u128::from(expiry) > millis()).map(|_| value.into()))
    }

    /// Returns whether it was written.
    fn write(&self, key: &str, value: &str, ttl: Duration, replace: bool) -> io::Result<bool> {
        let hash = hash(key);
        self.remove_old()?;
        let file = Temporary::create(&self.0, &hash, &format!("{}\n{value}", millis() + ttl.as_millis()))?;
        again(|| {
            let highest = self.numbers(&hash)?.into_iter().max().unwrap_or(0);
            if !replace && highest > 0 && self.live(&hash, highest)?.is_some() {
                return Ok(false);
            }
            let mine = highest + 1;
            fs::hard_link(&file.0, self.path(&hash, mine))?;
            let numbers = self.numbers(&hash)?;
            // Since the first look, another process may have written files with higher numbers and removed this one.
            if !replace && numbers.iter().any(|&number| number > mine) {
                remove(&self.path(&hash, mine))?;
                return Err(ErrorKind::AlreadyExists.into());
            }
            for number in numbers.into_iter().filter(|&number| number < mine) {
                remove(&self.path(&hash, number))?;
            }
            Ok(true)
        })
    }

    /// Removes the temporary files of processes that died.
    fn remove_old(&self) -> io::Result<()> {
        for file in fs::read_dir(&self.0)? {
            let file = file?;
            let name = file.file_name();
            let temporary = name.to_str().and_then(|name| name.split_once(".tmp.")).is_some();
            let age = file.metadata().and_then(|metadata| metadata.modified()).map(|modified| modified.elapsed());
            if temporary && matches!(age, Ok(Ok(age)) if age > TEMPORARY) {
                remove(&file.path())?;
            }
        }
        Ok(())
    }

    async fn put(&self, key: &str, value: &str, ttl: Duration, replace: bool) -> Result<bool, Cause> {
        let (store, key, value) = (self.clone(), key.to_owned(), value.to_owned());
        Ok(spawn_blocking(move || store.write(&key, &value, ttl, replace)).await??)
    }
}

/// A file with a temporary name, which is removed when this is dropped.
struct Temporary(PathBuf);

impl Temporary {
    fn create(folder: &Path, hash: &str, content: &str) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let path = folder.join(format!("{hash}.tmp.{:032x}", fastrand::u128(..)));
        let mut file = options.write(true).create_new(true).open(&path)?;
        let this = Self(path);
        file.write_all(content.as_bytes())?;
        Ok(this)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = remove(&self.0);
    }
}

/// Removes a file that another process may have removed.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Tries again while another process interferes: a file that was listed is gone, or a free number is taken.
fn again<T>(attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let interferes = |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists);
    let mut result = attempt();
    for _ in 1..ATTEMPTS {
        match result {
            Err(error) if interferes(&error) => result = attempt(),
            _ => break,
        }
    }
    result
}

/// Reads a positive decimal number without leading zeros, below 2^53.
fn parse(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|&number| plain && number < 1 << 53)
}

fn hash(key: &str) -> String {
    format!("{:x}", Sha256::digest(key))
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
