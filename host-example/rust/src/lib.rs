//! What the programs share: their config, from the environment.

use std::env;
use std::fs;

use rostering::{Config, Environment, Options};

/// The library's options, with the plugin that `ROSTERING_WASM` names, if set.
pub fn read_options() -> Result<Options, String> {
    let mut options = Options::default();
    if let Some(file) = env::var("ROSTERING_WASM").ok().filter(|file| !file.is_empty()) {
        options.wasm = fs::read(&file).map_err(|error| format!("cannot read {file}: {error}"))?;
    }
    Ok(options)
}

/// Reads the config, and names everything that is missing at once.
pub fn read_config() -> Result<Config, String> {
    let mut missing = Vec::new();
    let mut read = |name| {
        let value = env::var(name).unwrap_or_default();
        if value.is_empty() {
            missing.push(name);
        }
        value
    };
    let config = Config {
        auth_url: read("ROSTERING_AUTH_URL"),
        base_url: read("ROSTERING_BASE_URL"),
        environment: match read("ROSTERING_ENVIRONMENT").as_str() {
            "" => None,
            "stage" => Some(Environment::Stage),
            "production" => Some(Environment::Production),
            _ => return Err("ROSTERING_ENVIRONMENT must be stage or production".into()),
        },
        client_id: read("ROSTERING_CLIENT_ID"),
        client_secret: read("ROSTERING_CLIENT_SECRET").into(),
        customer_id: read("ROSTERING_CUSTOMER_ID"),
        user_id: read("ROSTERING_USER_ID"),
        ..Config::default()
    };
    if missing.is_empty() { Ok(config) } else { Err(format!("set {}", missing.join(", "))) }
}
