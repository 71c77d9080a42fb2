//! Shows the plugin at work; README.md tells what to set in the environment.

use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, iter};

use humantime::format_rfc3339_seconds;
use rostering::{CallError, Config, Error, Rostering};

const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../dist/rostering.wasm");
/// Characters of an answer.
const SHOWN: usize = 200;
const WRONG_SECRET: &str = "not-the-secret";

fn main() -> ExitCode {
    let Err(error) = run() else {
        return ExitCode::SUCCESS;
    };
    match error.downcast_ref() {
        Some(Error::Call(error)) => eprint!("failed: {error}\n{}", explain(error)),
        _ => eprintln!("failed: {}", with_reasons(&*error)),
    }
    ExitCode::FAILURE
}

fn with_reasons(error: &(dyn StdError + 'static)) -> String {
    let all = iter::successors(Some(error), |&error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Shows a token, the jobs with it, and an error.
fn run() -> Result<(), Box<dyn StdError>> {
    let config = read_config()?;
    let wasm = env::var_os("ROSTERING_WASM").filter(|file| !file.is_empty());
    let wasm = wasm.map_or_else(|| PathBuf::from(BUILT), PathBuf::from);
    let client = Rostering::open(&wasm, &config)?;
    show_token(&client)?;
    show_jobs("jobs", &client)?;
    show_jobs("jobs again, with the same token", &client)?;
    show_wrong_secret(&wasm, config)
}

/// Reads the config, and names all that is missing at once.
fn read_config() -> Result<Config, String> {
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
        environment: read("ROSTERING_ENVIRONMENT"),
        client_id: read("ROSTERING_CLIENT_ID"),
        client_secret: read("ROSTERING_CLIENT_SECRET").into(),
        customer_id: read("ROSTERING_CUSTOMER_ID"),
        user_id: read("ROSTERING_USER_ID"),
        ..Config::default()
    };
    if missing.is_empty() { Ok(config) } else { Err(format!("set {}", missing.join(", "))) }
}

/// Shows what is no secret of a token.
fn show_token(client: &Rostering) -> Result<(), Error> {
    let token = client.get_token()?;
    let text = token.access_token.expose();
    let start: String = text.chars().take(8).collect();
    println!("token: {start}… ({} characters)", text.len());
    println!("  expires_at: {}", format_rfc3339_seconds(token.expires_at));
    Ok(())
}

/// Shows how the service's answer begins. Its shape is the service's business.
fn show_jobs(title: &str, client: &Rostering) -> Result<(), Error> {
    let body = client.list_jobs()?;
    let text = String::from_utf8_lossy(&body);
    let text = text.trim();
    let start: String = text.chars().take(SHOWN).collect();
    println!("{title}: {} bytes", body.len());
    println!("  {start}{}", if start.len() < text.len() { "…" } else { "" });
    Ok(())
}

/// Shows an error.
fn show_wrong_secret(wasm: &Path, mut config: Config) -> Result<(), Box<dyn StdError>> {
    println!("a wrong client_secret:");
    config.client_secret = WRONG_SECRET.into();
    match Rostering::open(wasm, &config)?.list_jobs() {
        Err(Error::Call(error)) => print!("{}", explain(&error)),
        Err(error) => return Err(error.into()),
        Ok(_) => return Err("the identity provider took a wrong client_secret".into()),
    }
    Ok(())
}

/// What is known of an error, a line for each field.
fn explain(error: &CallError) -> String {
    let fields = [
        ("code", Some(error.code.to_string())),
        ("message", Some(error.message.clone())),
        ("retryable", Some(error.retryable.to_string())),
        ("key", error.key.clone()),
        ("status", error.status.map(|status| status.to_string())),
        ("oauth_error", error.oauth_error.clone()),
        ("oauth_error_description", error.oauth_error_description.clone()),
        ("retry_after", error.retry_after.map(|wait| format!("{wait:?}"))),
        ("body", error.body.clone()),
        ("body_truncated", error.body_truncated.then(|| "true".into())),
    ];
    let known = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
    known.map(|(name, value)| format!("  {name}: {value}\n")).collect::<Vec<_>>().concat()
}
