//! Prints the jobs, with the SDK alone: the plugin sends the requests. `ROSTERING_WASM` is the path of rostering.wasm.
//! With the argument `call` it makes the calls that it reads, for the tests of the plugin.

use std::error::Error;
use std::{env, fs};

use extism::{Manifest, PluginBuilder, Wasm};
use serde_json::Value;

mod call;

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
    let done = if env::args().nth(1).as_deref() == Some("call") {
        call::run()
    } else {
        list_jobs()
    };
    if let Err(error) = done {
        eprintln!("{error}"); // explains how to fix it
        std::process::exit(1);
    }
}

fn list_jobs() -> Result<(), Box<dyn Error>> {
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
    let jobs: String = plugin.call("list_jobs", ()).map_err(|error| {
        // An error of the plugin is a JSON object. Any other is the SDK's, without the reason.
        let own: Value = serde_json::from_str(&error.to_string()).unwrap_or_default();
        match (own["code"].as_str(), own["message"].as_str()) {
            (Some(code), Some(message)) => format!("{code}: {message}"),
            _ => "network_error: no response; check auth_url and base_url".to_owned(),
        }
    })?;
    println!("{jobs}");
    Ok(())
}
