use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::clock::unix_now;
use crate::direct::Direct;
use crate::form::Form;
use crate::{Config, Driver, Error, Http, Ids, Request, Token, plugin};

/// One instance of the plugin, and the token in it.
///
/// Share it, in a `static`, an `Arc` or by reference: any number of threads may use it. It sends
/// nothing before its first call.
///
/// There are two forms, which do the same. Of [`open`](Self::open), the plugin sends its requests
/// itself, through the SDK: threads take turns. Of [`open_with`](Self::open_with), this library
/// sends them: many at once, and all threads wait for one token request.
#[derive(Debug)]
pub struct Rostering {
    form: Box<dyn Form>,
}

impl Rostering {
    /// Makes an instance of the plugin in a file, which sends its requests itself.
    ///
    /// # Errors
    /// [`Error::Read`] and [`Error::Load`].
    pub fn open(file: impl AsRef<Path>, config: &Config) -> Result<Self, Error> {
        Self::load(read(file.as_ref())?, config)
    }

    /// Makes an instance of the plugin from what is in its file, as `include_bytes!` gives it.
    ///
    /// # Errors
    /// [`Error::Load`].
    pub fn load(wasm: impl Into<Vec<u8>>, config: &Config) -> Result<Self, Error> {
        let plugin = plugin::instance(config.direct_manifest(wasm.into()))?;
        Ok(Self { form: Box::new(Direct::new(plugin, config.timeout)) })
    }

    /// Makes an instance of the plugin in a file, whose requests are sent here.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub fn open_with(file: impl AsRef<Path>, config: &Config, http: Http) -> Result<Self, Error> {
        Self::load_with(read(file.as_ref())?, config, http)
    }

    /// The same from what is in its file.
    ///
    /// # Errors
    /// [`Error::Load`].
    pub fn load_with(wasm: impl Into<Vec<u8>>, config: &Config, http: Http) -> Result<Self, Error> {
        let plugin = plugin::instance(config.manifest(wasm.into()))?;
        Ok(Self { form: Box::new(Driver::new(plugin, http, config.timeout)) })
    }

    /// Gives the service's answer, byte for byte.
    ///
    /// # Errors
    /// [`Error::Call`], and [`Error::Plugin`] for what should not happen.
    pub fn list_jobs(&self) -> Result<Vec<u8>, Error> {
        self.list_jobs_of(&Ids::default())
    }

    /// Gives the service's answer for other ids than the config's.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn list_jobs_of(&self, ids: &Ids) -> Result<Vec<u8>, Error> {
        self.call("list_jobs", ids)
    }

    /// Sends another request to the service, with the same token, and gives its answer.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn send_request(&self, request: &Request) -> Result<Vec<u8>, Error> {
        self.call("send_request", request)
    }

    /// Gives the token that the plugin has, or a new one.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn get_token(&self) -> Result<Token, Error> {
        self.token(false)
    }

    /// Gives a new token. If that fails, the plugin keeps the one that it has.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn get_new_token(&self) -> Result<Token, Error> {
        self.token(true)
    }

    /// Takes a token that another client got, to spare a token request.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs): `TokenMismatch` if it has expired, or belongs to
    /// another client, scope or token URL.
    pub fn set_token(&self, token: &Token) -> Result<(), Error> {
        let mut input = token.fields();
        input["now"] = unix_now().into(); // one build of the plugin has no clock
        self.form.tell("set_token", &input.to_string())
    }

    /// Forgets the token, and the wait after failed token requests.
    ///
    /// # Errors
    /// Those of [`list_jobs`](Self::list_jobs).
    pub fn clear_token(&self) -> Result<(), Error> {
        self.form.tell("clear_token", "")
    }

    fn token(&self, force: bool) -> Result<Token, Error> {
        Token::from_json(self.call("get_token", &TokenInput { force })?)
    }

    fn call(&self, call: &str, input: &impl Serialize) -> Result<Vec<u8>, Error> {
        match serde_json::to_value(input) {
            Ok(Value::Object(input)) => self.form.call(call, input),
            _ => unreachable!("inputs are structs"),
        }
    }
}

#[derive(Serialize)]
struct TokenInput {
    force: bool,
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::Read { path: path.into(), source })
}
