//! Stores, through which clients share their token.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::time::Duration;

use automatic_rostering::{async_trait, redis, Cause, FileStore, MemoryStore, RedisStore};

use crate::config::Context;
use crate::error::{CallCode, Error};
use crate::{c_string, given, make, required};

/// A store through which clients share their token. Anyone who can read it has the token; anyone who can write to it
/// chooses the token that is sent.
pub struct Store(pub Arc<dyn automatic_rostering::Store>);

/// Opens a store:
///
/// - memory: for the clients of one process that get this handle;
/// - file:FOLDER for the processes of one machine, including programs that use the libraries of other languages: a
///   folder, which is created if it is missing, of files that only their owner can read;
/// - redis://user:password@host:6379, or rediss:// with TLS, for any machines. It connects when it is first used.
#[no_mangle]
pub extern "C" fn rostering_store_open(url: *const c_char, error: *mut *mut Error) -> Option<Box<Store>> {
    make(error, || {
        let url = required("url", url)?;
        if url == "memory:" {
            return Ok(Store(Arc::new(MemoryStore::default())));
        }
        if let Some(folder) = url.strip_prefix("file:") {
            let failed = |error| Error::own(CallCode::StoreFailed, &format!("cannot use the folder {error}"));
            return Ok(Store(Arc::new(FileStore::new(folder).map_err(failed)?)));
        }
        // The error of Redis may show the URL with the password.
        let failed = |_| Error::own(CallCode::StoreFailed, "url must be memory:, file:FOLDER, or redis://");
        Ok(Store(Arc::new(RedisStore::new(redis::Client::open(url).map_err(failed)?))))
    })
}

/// The operation of a store.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum StoreOperation {
    /// Pass the value of the key to rostering_value_set, unless the key is missing or has expired.
    Get,
    /// Set the key if it is missing, atomically. Return 1 if it was, and 0 if not.
    Add,
    /// Set the key, whether or not it exists.
    Set,
}

/// What a store found.
#[derive(Default)]
pub struct Value(Option<String>);

/// Sets what a store found; it is copied.
#[no_mangle]
pub extern "C" fn rostering_value_set(value: Option<&mut Value>, text: *const c_char) {
    if let Some(value) = value {
        value.0 = required("text", text).ok().map(Into::into);
    }
}

/// Your own store. Returns a negative number if it failed. Keys are at most 512 visible ASCII characters.
pub type StoreFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        operation: StoreOperation,
        key: *const c_char,
        value: *const c_char,
        ttl_seconds: i64,
        found: *mut Value,
    ) -> c_int,
>;

/// Makes a store from your own function, which is called concurrently, on threads of the library. A call waits a second for
/// it at most, and continues without the store if it fails.
#[no_mangle]
pub extern "C" fn rostering_store_new(
    function: StoreFunction,
    context: *mut c_void,
    error: *mut *mut Error,
) -> Option<Box<Store>> {
    make(error, || Ok(Store(Arc::new(Function(given(function, "function")?, Context(context))))))
}

/// Frees a store. Clients that use it keep working. The context of a store that you wrote must outlive them.
#[no_mangle]
pub extern "C" fn rostering_store_free(store: Option<Box<Store>>) {
    drop(store);
}

#[derive(Clone, Copy)]
struct Function(
    unsafe extern "C" fn(*mut c_void, StoreOperation, *const c_char, *const c_char, i64, *mut Value) -> c_int,
    Context,
);

impl Function {
    /// Calls the function on a thread where it may block. Returns its result and what it found.
    async fn call(
        self,
        operation: StoreOperation,
        key: &str,
        value: &str,
        ttl: Duration,
    ) -> Result<(c_int, Option<String>), Cause> {
        let (key, value) = (c_string(key), c_string(value));
        let ttl = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
        let call = move || {
            let (Self(function, Context(context)), mut found) = (self, Value::default());
            match unsafe { function(context, operation, key.as_ptr(), value.as_ptr(), ttl, &raw mut found) } {
                ..0 => Err("the function of the store failed".into()),
                number => Ok((number, found.0)),
            }
        };
        tokio::task::spawn_blocking(call).await?
    }
}

#[async_trait]
impl automatic_rostering::Store for Function {
    async fn get(&self, key: &str) -> Result<Option<String>, Cause> {
        Ok(self.call(StoreOperation::Get, key, "", Duration::ZERO).await?.1)
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> Result<bool, Cause> {
        Ok(self.call(StoreOperation::Add, key, value, ttl).await?.0 > 0)
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> Result<(), Cause> {
        self.call(StoreOperation::Set, key, value, ttl).await.map(drop)
    }
}
