//! The host adapter for the crate extism: see tests/conformance/protocol/protocol.go.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, io};

use extism::convert::Base64;
use extism::{Error, FromBytesOwned, Manifest, Plugin, PluginBuilder, ToBytes, Wasm};
use log::Log;
use rostering::reqwest::blocking::ClientBuilder;
use rostering::{CallError, Driver, Http};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

mod log;

const TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Request {
    Create {
        instance: String,
        wasm: PathBuf,
        #[serde(default)]
        wasi: bool,
        #[serde(default)]
        config: HashMap<String, String>,
        #[serde(default)]
        allowed_hosts: Vec<String>,
    },
    Call(Call),
    Drive(Call),
    Close {
        instance: String,
    },
    Versions,
}

#[derive(Deserialize)]
struct Call {
    instance: String,
    export: String,
    /// As base64.
    #[serde(default)]
    input: String,
}

#[derive(Default, Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trap: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logs: Option<Vec<log::Line>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<String>,
}

struct Host {
    /// Each in a driver, which a plain call passes by.
    instances: HashMap<String, Driver>,
    http: Http,
    log: Log,
}

impl Host {
    fn handle(&mut self, request: Request) -> Result<Answer, Error> {
        match request {
            Request::Create { instance, wasm, wasi, config, allowed_hosts } => {
                let manifest = Manifest::new([Wasm::data(fs::read(wasm)?)])
                    .with_config(config.into_iter())
                    .with_allowed_hosts(allowed_hosts.into_iter());
                let plugin = PluginBuilder::new(manifest).with_wasi(wasi).build()?;
                let driver = Driver::new(plugin, self.http.clone(), Some(TIMEOUT));
                self.instances.insert(instance, driver);
                Ok(Answer::default())
            }
            Request::Call(request) => {
                self.call(&request, |driver, export, input| call(driver.get_mut(), export, input))
            }
            Request::Drive(request) => self.call(&request, drive),
            Request::Close { instance } => {
                self.instances.remove(&instance).ok_or_else(|| unknown(&instance))?;
                Ok(Answer::default())
            }
            Request::Versions => Ok(Answer { versions: Some(versions()), ..Answer::default() }),
        }
    }

    fn call(
        &mut self,
        Call { instance, export, input }: &Call,
        call: impl FnOnce(&mut Driver, &str, &[u8]) -> Result<Answer, Error>,
    ) -> Result<Answer, Error> {
        let Base64(input) = Base64::<Vec<u8>>::from_bytes_owned(input.as_bytes())?;
        let driver = self.instances.get_mut(instance).ok_or_else(|| unknown(instance))?;
        let answer = call(driver, export, &input)?;
        Ok(Answer { logs: Some(self.log.take()), ..answer })
    }
}

fn call(plugin: &mut Plugin, export: &str, input: &[u8]) -> Result<Answer, Error> {
    match plugin.call_get_error_code::<_, &[u8]>(export, input) {
        Ok(output) => gives(output),
        // What the export returned. Other statuses are the SDK's.
        Err((error, 1)) => Ok(Answer { error: Some(error.to_string()), ..Answer::default() }),
        Err((error, _)) => Ok(trap(&error)),
    }
}

/// The input's `now` is the driver's.
fn drive(driver: &mut Driver, call: &str, input: &[u8]) -> Result<Answer, Error> {
    let input = input.trim_ascii();
    let fields = if input.is_empty() { Map::new() } else { serde_json::from_slice(input)? };
    match driver.call(call, fields) {
        Ok(output) => gives(&output),
        Err(rostering::Error::Call(error)) => {
            Ok(Answer { error: Some(text(&error).to_string()), ..Answer::default() })
        }
        Err(error) => Err(error.into()),
    }
}

/// An error as the plugin writes it: what is not known is left out.
fn text(error: &CallError) -> Value {
    let mut fields = json!({
        "code": error.code,
        "message": error.message,
        "retryable": error.retryable,
        "key": error.key,
        "status": error.status,
        "oauth_error": error.oauth_error,
        "oauth_error_description": error.oauth_error_description,
        "retry_after": error.retry_after.map(|wait| wait.as_secs()),
        "body": error.body,
        "body_truncated": error.body_truncated.then_some(true),
    });
    fields.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
    fields
}

fn gives(output: &[u8]) -> Result<Answer, Error> {
    Ok(Answer { output: Some(Base64(output).to_bytes()?), ..Answer::default() })
}

fn trap(error: &Error) -> Answer {
    Answer { trap: Some(format!("{error:#}")), ..Answer::default() }
}

fn unknown(instance: &str) -> Error {
    Error::msg(format!("no instance {instance}"))
}

fn versions() -> String {
    let extism = extism::extism_version().trim_end_matches('\0');
    format!("Rust {}, extism {extism}, reqwest {}", env!("RUSTC_VERSION"), env!("REQWEST_VERSION"))
}

#[expect(unsafe_code, reason = "no other thread runs yet that could read the environment")]
fn main() -> Result<(), Error> {
    // libextism sends even loopback's requests through a proxy of the environment.
    unsafe { env::set_var("NO_PROXY", "*") };
    let http = Http::build(ClientBuilder::new().no_proxy())?;
    let mut host = Host { instances: HashMap::new(), http, log: Log::start() };
    for line in io::stdin().lines() {
        let request = serde_json::from_str(&line?)?;
        let answer = host.handle(request).unwrap_or_else(|error| trap(&error));
        println!("{}", serde_json::to_string(&answer)?);
    }
    Ok(())
}
