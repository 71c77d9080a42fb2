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
            eprintln!("{error}"); // says what to do
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
    plugin
        .call("list_jobs", ())
        .map_err(|error| explain(&error.to_string()).into())
}

/// An error of the plugin is a JSON object. Any other is the SDK's, which does not say why there was no response.
fn explain(error: &str) -> String {
    let Ok(error) = serde_json::from_str::<Value>(error) else {
        return "network_error: no response from auth_url or base_url".into();
    };
    format!(
        "{}: {}",
        error["code"].as_str().unwrap_or_default(),
        error["message"].as_str().unwrap_or_default()
    )
}
