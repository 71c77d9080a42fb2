//! The host adapter for the crate extism and the library: see tests/conformance/protocol/protocol.go.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use std::{env, fs, io, thread};

use automatic_rostering::{Cause, Client, Error, Options};
use base64::{Engine, prelude::BASE64_STANDARD};
use extism::{Manifest, Plugin, PluginBuilder, Wasm};
use log::Log;
use serde::{Deserialize, Serialize};
use store::HttpStore;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

mod log;
mod store;

#[derive(Deserialize)]
struct Request {
    id: Option<i64>,
    #[serde(flatten)]
    op: Op,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum Op {
    Versions,
    Create(Create),
    Call {
        instance: String,
        export: String,
        #[serde(default)]
        input: String,
    },
    Drive {
        instance: String,
        export: String,
        #[serde(default)]
        input: String,
        body: Option<String>,
        timeout_ms: Option<u64>,
    },
    Cancel {
        target: i64,
    },
    Close {
        instance: String,
    },
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Create {
    instance: String,
    wasm: PathBuf,
    wasi: bool,
    config: HashMap<String, String>,
    allowed_hosts: Vec<String>,
    client: bool,
    store: String,
}

#[derive(Default, Serialize)]
#[serde(default)]
struct Response {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trap: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    canceled: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logs: Vec<log::Line>,
    #[serde(skip_serializing_if = "Option::is_none")]
    versions: Option<String>,
}

impl Response {
    fn output(bytes: impl AsRef<[u8]>) -> Self {
        Self {
            output: Some(BASE64_STANDARD.encode(bytes)),
            ..Self::default()
        }
    }

    fn failure(error: &Error) -> Self {
        match error {
            Error::Call(error) => Self {
                error: serde_json::to_string(error).ok(),
                ..Self::default()
            },
            error => Self {
                trap: Some(format!("{error:?}")),
                ..Self::default()
            },
        }
    }
}

#[derive(Clone)]
enum Instance {
    Plain(Arc<Mutex<Plugin>>),
    Client(Client),
}

#[derive(Default)]
struct Host {
    instances: Mutex<HashMap<String, Instance>>,
    /// Sending to one cancels the drive.
    drives: Mutex<HashMap<i64, oneshot::Sender<()>>>,
    log: Log,
}

impl Host {
    /// Carries out an operation. A failure without an error of the contract is a trap.
    async fn handle(&self, id: i64, op: Op) -> Result<Response, Cause> {
        match op {
            Op::Versions => Ok(Response {
                versions: Some(versions()),
                ..Response::default()
            }),
            Op::Create(create) => self.create(create).await,
            Op::Call {
                instance,
                export,
                input,
            } => {
                let input = BASE64_STANDARD.decode(input)?;
                let before = self.log.len();
                let response = match self.instance(&instance)? {
                    Instance::Plain(plugin) => {
                        spawn_blocking(move || call(&plugin, &export, &input)).await?
                    }
                    Instance::Client(client) => match client.export(&export, input).await {
                        Ok(output) => Response::output(output),
                        Err(error) => Response::failure(&error),
                    },
                };
                Ok(Response {
                    logs: self.log.since(before),
                    ..response
                })
            }
            Op::Drive {
                instance,
                export,
                input,
                body,
                timeout_ms,
            } => {
                let Instance::Client(mut client) = self.instance(&instance)? else {
                    Err("not a client")?
                };
                if let Some(timeout) = timeout_ms {
                    client = client.with_timeout(Duration::from_millis(timeout));
                }
                let input = BASE64_STANDARD.decode(input)?;
                let body = body
                    .map(|body| BASE64_STANDARD.decode(body))
                    .transpose()?
                    .map(Into::into);
                let before = self.log.len();
                let (cancel, canceled) = oneshot::channel();
                lock(&self.drives).insert(id, cancel);
                let result = tokio::select! {
                    biased;
                    result = client.run(&export, &input, body) => Some(result),
                    _ = canceled => None,
                };
                lock(&self.drives).remove(&id);
                let response = match result {
                    None => Response {
                        canceled: true,
                        ..Response::default()
                    },
                    Some(Err(error)) => Response::failure(&error),
                    Some(Ok((Some(token), _))) => Response::output(token.to_string()),
                    Some(Ok((_, Some(got)))) => Response {
                        status: Some(got.status.as_u16()),
                        ..Response::output(&got.body)
                    },
                    Some(Ok((None, None))) => Err("neither a token nor a response")?,
                };
                Ok(Response {
                    logs: self.log.since(before),
                    ..response
                })
            }
            Op::Cancel { target } => {
                if let Some(cancel) = lock(&self.drives).remove(&target) {
                    let _ = cancel.send(());
                }
                Ok(Response::default())
            }
            Op::Close { instance } => {
                let closed = self.instance(&instance)?;
                lock(&self.instances).remove(&instance);
                match closed {
                    Instance::Client(client) => client.close().await,
                    Instance::Plain(plugin) => spawn_blocking(move || drop(plugin)).await?,
                }
                Ok(Response::default())
            }
        }
    }

    async fn create(&self, create: Create) -> Result<Response, Cause> {
        let wasm = fs::read(create.wasm)?;
        let instance = if create.client {
            let mut options = Options::default().wasm(wasm);
            if !create.store.is_empty() {
                options = options.store(Arc::new(HttpStore::new(create.store)));
            }
            match Client::open_raw(create.config, options).await {
                Ok(client) => {
                    LazyLock::force(&store::CLIENT);
                    Instance::Client(client)
                }
                Err(error) => return Ok(Response::failure(&error)),
            }
        } else {
            let manifest = Manifest::new([Wasm::data(wasm)])
                .with_config(create.config.into_iter())
                .with_allowed_hosts(create.allowed_hosts.into_iter());
            let open = move || PluginBuilder::new(manifest).with_wasi(create.wasi).build();
            Instance::Plain(Arc::new(Mutex::new(spawn_blocking(open).await??)))
        };
        lock(&self.instances).insert(create.instance, instance);
        Ok(Response::default())
    }

    fn instance(&self, name: &str) -> Result<Instance, Cause> {
        Ok(lock(&self.instances)
            .get(name)
            .ok_or_else(|| format!("no instance {name}"))?
            .clone())
    }
}

fn call(plugin: &Mutex<Plugin>, export: &str, input: &[u8]) -> Response {
    match lock(plugin).call_get_error_code::<_, &[u8]>(export, input) {
        Ok(output) => Response::output(output),
        // The plugin's own error. Other statuses are the SDK's.
        Err((error, 1)) => Response {
            error: Some(error.to_string()),
            ..Response::default()
        },
        Err((error, _)) => Response {
            trap: Some(format!("{error:#}")),
            ..Response::default()
        },
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn versions() -> String {
    let extism = extism::extism_version().trim_end_matches('\0');
    format!(
        "Rust {}, extism {extism}, reqwest {}",
        env!("RUSTC_VERSION"),
        env!("REQWEST_VERSION")
    )
}

#[expect(
    unsafe_code,
    reason = "no other thread runs yet that could read the environment"
)]
fn main() -> Result<(), Cause> {
    // extism sends requests to loopback through the proxies of the environment, too.
    unsafe { env::set_var("NO_PROXY", "*") };
    let (sender, mut lines) = mpsc::unbounded_channel();
    thread::spawn(move || io::stdin().lines().try_for_each(|line| sender.send(line)));
    // On one thread, operations begin in the order of their lines.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let host = Arc::new(Host::default());
        host.log.start();
        while let Some(line) = lines.recv().await {
            let Request { id, op } = serde_json::from_str(&line?)?;
            let host = host.clone();
            tokio::spawn(async move {
                let response = host.handle(id.unwrap_or_default(), op).await;
                let response = response.unwrap_or_else(|error| Response {
                    trap: Some(format!("{error:?}")),
                    ..Response::default()
                });
                println!(
                    "{}",
                    serde_json::to_string(&Response { id, ..response }).expect("text")
                );
            });
        }
        Ok::<_, Cause>(())
    })?;
    runtime.shutdown_background();
    Ok(())
}
