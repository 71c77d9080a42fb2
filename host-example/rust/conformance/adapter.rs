//! The host adapter for the crate extism: see tests/conformance/protocol/protocol.go.

use std::collections::HashMap;
use std::path::PathBuf;
use std::{env, fs, io};

use extism::convert::Base64;
use extism::{Error, FromBytesOwned, Manifest, Plugin, PluginBuilder, ToBytes, Wasm};
use log::Log;
use serde::{Deserialize, Serialize};

mod log;

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
    Call {
        instance: String,
        export: String,
        #[serde(default)]
        input: String,
    },
    Close {
        instance: String,
    },
    Versions,
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
    instances: HashMap<String, Plugin>,
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
                self.instances.insert(instance, plugin);
                Ok(Answer::default())
            }
            Request::Call { instance, export, input } => {
                let Base64(input) = Base64::from_bytes_owned(input.as_bytes())?;
                let plugin = self.instances.get_mut(&instance).ok_or_else(|| unknown(&instance))?;
                let answer = call(plugin, &export, input)?;
                Ok(Answer { logs: Some(self.log.take()), ..answer })
            }
            Request::Close { instance } => {
                self.instances.remove(&instance).ok_or_else(|| unknown(&instance))?;
                Ok(Answer::default())
            }
            Request::Versions => Ok(Answer { versions: Some(versions()), ..Answer::default() }),
        }
    }
}

fn call(plugin: &mut Plugin, export: &str, input: Vec<u8>) -> Result<Answer, Error> {
    match plugin.call_get_error_code::<_, &[u8]>(export, input) {
        Ok(output) => Ok(Answer { output: Some(Base64(output).to_bytes()?), ..Answer::default() }),
        // What the export returned. Other statuses are the SDK's.
        Err((error, 1)) => Ok(Answer { error: Some(error.to_string()), ..Answer::default() }),
        Err((error, _)) => Ok(trap(&error)),
    }
}

fn trap(error: &Error) -> Answer {
    Answer { trap: Some(format!("{error:#}")), ..Answer::default() }
}

fn unknown(instance: &str) -> Error {
    Error::msg(format!("no instance {instance}"))
}

fn versions() -> String {
    let extism = extism::extism_version().trim_end_matches('\0');
    format!("Rust {}, extism {extism}", env!("RUSTC_VERSION"))
}

#[expect(unsafe_code, reason = "no other thread runs yet that could read the environment")]
fn main() -> Result<(), Error> {
    // libextism sends even loopback's requests through a proxy of the environment.
    unsafe { env::set_var("NO_PROXY", "*") };
    let mut host = Host { instances: HashMap::new(), log: Log::start() };
    for line in io::stdin().lines() {
        let request = serde_json::from_str(&line?)?;
        let answer = host.handle(request).unwrap_or_else(|error| trap(&error));
        println!("{}", serde_json::to_string(&answer)?);
    }
    Ok(())
}
