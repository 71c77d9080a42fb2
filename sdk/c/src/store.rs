//! Stores, through which clients share their token.

use std::ffi::{c_char, c_void, CString};
use std::sync::Arc;
use std::time::Duration;

use automatic_rostering::{async_trait, redis, Cause, FileStore, MemoryStore, RedisStore};

use crate::error::{Code, Error};
use crate::run;
use crate::text::{c_string, required};

/// A store through which clients share their token. Anyone who can read it has the token; anyone who can write to it
/// chooses the token that is sent.
pub struct Store(pub Arc<dyn automatic_rostering::Store>);

fn made(store: impl automatic_rostering::Store + 'static) -> Option<Box<Store>> {
    Some(Box::new(Store(Arc::new(store))))
}

/// Makes a store for the clients of one process.
#[no_mangle]
pub extern "C" fn rostering_memory_store_new() -> Option<Box<Store>> {
    made(MemoryStore::default())
}

/// Opens a store for the processes of one machine, including programs that use the libraries of other languages: a
/// folder, which is created if it is missing, of files that only their owner can read.
#[no_mangle]
pub extern "C" fn rostering_file_store_new(folder: *const c_char, error: *mut *mut Error) -> Option<Box<Store>> {
    run(error, || {
        let store = FileStore::new(required("folder", folder)?);
        store.map(made).map_err(|error| Error::own(Code::StoreFailed, &format!("cannot use the folder {error}")))
    })
}

/// Makes a store on a Redis server, with a URL such as redis://user:password@host:6379. It connects when it is first used.
#[no_mangle]
pub extern "C" fn rostering_redis_store_new(url: *const c_char, error: *mut *mut Error) -> Option<Box<Store>> {
    run(error, || {
        let client = redis::Client::open(required("url", url)?);
        // Its error may show the URL with the password.
        let client = client.map_err(|_| Error::own(Code::StoreFailed, "url is not the URL of a Redis server"))?;
        Ok(made(RedisStore::new(client)))
    })
}

/// What a rostering_store_get found.
#[derive(Default)]
pub struct Value(Option<String>);

/// Sets what a rostering_store_get found; it is copied. A get that does not call this has found no value.
#[no_mangle]
pub extern "C" fn rostering_value_set(value: Option<&mut Value>, text: *const c_char) {
    if let Some(value) = value {
        value.0 = required("text", text).ok().map(Into::into);
    }
}

/// Reads the key and calls rostering_value_set, unless the key is missing or has expired. Returns false if it failed.
pub type StoreGet = Option<unsafe extern "C" fn(context: *mut c_void, key: *const c_char, value: *mut Value) -> bool>;

/// Sets the key if it is missing, atomically, and *added to whether it did. Returns false if it failed.
pub type StoreAdd = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        key: *const c_char,
        value: *const c_char,
        ttl_seconds: i64,
        added: *mut bool,
    ) -> bool,
>;

/// Sets the key, whether or not it exists. Returns false if it failed.
pub type StoreSet = Option<
    unsafe extern "C" fn(context: *mut c_void, key: *const c_char, value: *const c_char, ttl_seconds: i64) -> bool,
>;

/// Makes a store of your own. Its functions are called concurrently, on threads of the library; a call waits a second for
/// them at most, and continues without the store if they fail. Keys are at most 512 visible ASCII characters.
#[no_mangle]
pub extern "C" fn rostering_store_new(
    get: StoreGet,
    add: StoreAdd,
    set: StoreSet,
    context: *mut c_void,
    error: *mut *mut Error,
) -> Option<Box<Store>> {
    run(error, || {
        let (Some(get), Some(add), Some(set)) = (get, add, set) else {
            return Err(Error::invalid("store", "get, add and set must not be NULL"));
        };
        Ok(made(Callbacks { get, add, set, context }))
    })
}

/// Frees a store. The clients that use it keep what they need of it; the context of a store of your own must live until
/// they are freed.
#[no_mangle]
pub extern "C" fn rostering_store_free(store: Option<Box<Store>>) {
    drop(store);
}

#[derive(Clone, Copy)]
struct Callbacks {
    get: unsafe extern "C" fn(*mut c_void, *const c_char, *mut Value) -> bool,
    add: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, i64, *mut bool) -> bool,
    set: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, i64) -> bool,
    context: *mut c_void,
}

// The header requires functions that any thread may call with their context.
unsafe impl Send for Callbacks {}
unsafe impl Sync for Callbacks {}

impl Callbacks {
    /// Runs a function on a thread where it may block.
    async fn call<T: Send + 'static>(
        self,
        key: &str,
        value: &str,
        ttl: Duration,
        function: impl FnOnce(Self, &CString, &CString, i64) -> Option<T> + Send + 'static,
    ) -> std::result::Result<T, Cause> {
        let (key, value) = (c_string(key), c_string(value));
        let ttl = i64::try_from(ttl.as_secs()).unwrap_or(i64::MAX);
        let done = tokio::task::spawn_blocking(move || function(self, &key, &value, ttl)).await?;
        done.ok_or_else(|| "a function of the store returned false".into())
    }
}

#[async_trait]
impl automatic_rostering::Store for Callbacks {
    async fn get(&self, key: &str) -> std::result::Result<Option<String>, Cause> {
        let get = |own: Self, key: &CString, _: &CString, _| {
            let mut value = Value::default();
            unsafe { (own.get)(own.context, key.as_ptr(), &raw mut value) }.then_some(value.0)
        };
        self.call(key, "", Duration::ZERO, get).await
    }

    async fn add(&self, key: &str, value: &str, ttl: Duration) -> std::result::Result<bool, Cause> {
        let add = |own: Self, key: &CString, value: &CString, ttl| {
            let mut added = false;
            let good = unsafe { (own.add)(own.context, key.as_ptr(), value.as_ptr(), ttl, &raw mut added) };
            good.then_some(added)
        };
        self.call(key, value, ttl, add).await
    }

    async fn set(&self, key: &str, value: &str, ttl: Duration) -> std::result::Result<(), Cause> {
        let set = |own: Self, key: &CString, value: &CString, ttl| {
            unsafe { (own.set)(own.context, key.as_ptr(), value.as_ptr(), ttl) }.then_some(())
        };
        self.call(key, value, ttl, set).await
    }
}
