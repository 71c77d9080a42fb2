//! Prints the jobs, with the SDK alone: the plugin sends its requests itself. `ROSTERING_WASM` is its file.

use std::error::Error;
use std::process::ExitCode;
use std::{env, fs};

use extism::{Manifest, PluginBuilder, Wasm};
use serde_json::Value;

fn main() -> ExitCode {
    match list_jobs() {
        Ok(jobs) => {
            println!("{jobs}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}", explain(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

fn list_jobs() -> Result<String, Box<dyn Error>> {
    let mut manifest = Manifest::new([Wasm::data(fs::read(env::var("ROSTERING_WASM")?)?)]);
    for key in [
        "auth_url",
        "base_url",
        "environment",
        "client_id",
        "client_secret",
        "customer_id",
        "user_id",
    ] {
        manifest.config.insert(
            key.into(),
            env::var(format!("ROSTERING_{}", key.to_uppercase())).unwrap_or_default(),
        );
    }
    // The plugin may call only these hosts; of https://login.example.com, login.example.com.
    let host = |key| {
        manifest.config[key]
            .split([':', '/'])
            .nth(3)
            .map(String::from)
    };
    manifest.allowed_hosts = Some(
        [host("auth_url"), host("base_url")]
            .into_iter()
            .flatten()
            .collect(),
    );
    let mut plugin = PluginBuilder::new(manifest).with_wasi(true).build()?;
    Ok(plugin.call("list_jobs", ())?)
}

/// An error of the plugin is a JSON object. Any other is the SDK's; a request that got no response is one of these.
fn explain(error: &str) -> String {
    match serde_json::from_str::<Value>(error) {
        Ok(error) => format!(
            "{}: {}",
            error["code"].as_str().unwrap_or_default(),
            error["message"]
        ),
        Err(_) => format!(
            "network_error: no response? check auth_url and base_url: {}",
            error.replace('\n', " ")
        ),
    }
}
