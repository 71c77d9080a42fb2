//! Prints the jobs, with the SDK alone: the plugin sends its requests itself. Run it in the repository's top folder.

use std::{env, fs};

use extism::{Manifest, PluginBuilder, Wasm};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut manifest = Manifest::new([Wasm::data(fs::read("dist/rostering.wasm")?)]);
    for key in ["auth_url", "base_url", "environment", "client_id", "client_secret", "customer_id", "user_id"] {
        manifest.config.insert(key.into(), env::var(format!("ROSTERING_{}", key.to_uppercase()))?);
    }
    // The plugin may call only these hosts; of https://login.example.com, login.example.com.
    let host = |key| manifest.config[key].split([':', '/']).nth(3).map(String::from);
    manifest.allowed_hosts = Some([host("auth_url"), host("base_url")].into_iter().flatten().collect());
    let mut plugin = PluginBuilder::new(manifest).with_wasi(true).build()?;
    let jobs: String = plugin.call("list_jobs", ())?; // an error is a JSON object that says what to do
    println!("{jobs}");
    Ok(())
}
