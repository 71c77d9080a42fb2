//! The host adapter for the library: see tests/conformance/protocol/protocol.go.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io, thread};

use automatic_rostering::{Cause, Client, Error, Options};
use base64::{Engine, prelude::BASE64_STANDARD};
use log::Log;
use serde::{Deserialize, Serialize};
use store::HttpStore;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};

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
    config: HashMap<String, String>,
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

#[derive(Default)]
struct Host {
    clients: Mutex<HashMap<String, Client>>,
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
            Op::Create(create) => self.create(create),
            Op::Call {
                instance,
                export,
                input,
            } => {
                let input = BASE64_STANDARD.decode(input)?;
                let before = self.log.len();
                let response = match self.client(&instance)?.export(&export, input).await {
                    Ok(output) => Response::output(output),
                    Err(error) => Response::failure(&error),
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
                let mut client = self.client(&instance)?;
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
                let client = self.client(&instance)?;
                lock(&self.clients).remove(&instance);
                client.close().await;
                Ok(Response::default())
            }
        }
    }

    fn create(&self, create: Create) -> Result<Response, Cause> {
        let wasm = fs::read(create.wasm)?;
        let mut options = Options::default().wasm(wasm);
        if !create.store.is_empty() {
            options = options.store(Arc::new(HttpStore::new(create.store)));
        }
        let client = match Client::open_raw(create.config, options) {
            Ok(client) => client,
            Err(error) => return Ok(Response::failure(&error)),
        };
        LazyLock::force(&store::CLIENT);
        lock(&self.clients).insert(create.instance, client);
        Ok(Response::default())
    }

    fn client(&self, name: &str) -> Result<Client, Cause> {
        Ok(lock(&self.clients)
            .get(name)
            .ok_or_else(|| format!("no instance {name}"))?
            .clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn versions() -> String {
    format!(
        "Rust {}, wasmi {}, reqwest {}",
        env!("RUSTC_VERSION"),
        env!("WASMI_VERSION"),
        env!("REQWEST_VERSION")
    )
}

fn main() -> Result<(), Cause> {
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
