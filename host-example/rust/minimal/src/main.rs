//! Prints the jobs, with the SDK alone: the plugin sends the requests. `ROSTERING_WASM` is the path of rostering.wasm.

use std::error::Error;
use std::{env, fs};

use extism::{Manifest, PluginBuilder, Wasm};
use serde_json::Value;

const KEYS: [&str; 7] = [
    "auth_url",
    "base_url",
    "environment",
    "client_id",
    "client_secret",
    "customer_id",
    "user_id",
];

fn main() {
    match list_jobs() {
        Ok(jobs) => println!("{jobs}"),
        Err(error) => {
            eprintln!("{error}"); // explains how to fix it
            std::process::exit(1);
        }
    }
}

fn list_jobs() -> Result<String, Box<dyn Error>> {
    let config = KEYS.map(|key| {
        let variable = format!("ROSTERING_{}", key.to_uppercase());
        (key, env::var(variable).unwrap_or_default())
    });
    let urls = config.iter().filter(|(key, _)| key.ends_with("_url"));
    // The host of https://login.example.com is login.example.com.
    let hosts = urls.filter_map(|(_, url)| Some(url.split([':', '/']).nth(3)?.to_owned()));
    let manifest = Manifest::new([Wasm::data(fs::read(env::var("ROSTERING_WASM")?)?)])
        .with_allowed_hosts(hosts)
        .with_config(config.into_iter());
    let mut plugin = PluginBuilder::new(manifest).with_wasi(true).build()?; // keeps the token
    plugin.call("list_jobs", ()).map_err(|error| {
        // An error of the plugin is a JSON object. Any other is the SDK's, without the reason.
        let own: Value = serde_json::from_str(&error.to_string()).unwrap_or_default();
        match (own["code"].as_str(), own["message"].as_str()) {
            (Some(code), Some(message)) => format!("{code}: {message}").into(),
            _ => "network_error: no response; check auth_url and base_url".into(),
        }
    })
}
