//! Shows the plugin at work; README.md lists the environment variables.

use std::error::Error as StdError;
use std::iter;
use std::process::ExitCode;

use humantime::format_rfc3339_seconds;
use rostering::{CallError, Client, Error};
use rostering_example::{read_config, read_options};

/// Characters of an answer.
const SHOWN: usize = 200;

#[tokio::main]
async fn main() -> ExitCode {
    let Err(error) = run().await else {
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
async fn run() -> Result<(), Box<dyn StdError>> {
    let mut config = read_config()?;
    let client = Client::open(&config, read_options()?).await?;
    show_token(&client).await?;
    show_jobs("jobs", &client).await?;
    show_jobs("jobs again, with the same token", &client).await?;

    println!("a wrong client_secret:");
    config.client_secret = "not-the-secret".into();
    match Client::open(&config, read_options()?).await?.list_jobs().await {
        Err(Error::Call(error)) => print!("{}", explain(&error)),
        Err(error) => return Err(error.into()),
        Ok(_) => return Err("the identity provider accepted a wrong client_secret".into()),
    }
    Ok(())
}

/// Shows the parts of a token that are not secret.
async fn show_token(client: &Client) -> Result<(), Error> {
    let token = client.get_token().await?;
    let text = token.access_token.expose();
    let start: String = text.chars().take(8).collect();
    println!("token: {start}… ({} characters)", text.len());
    println!("  expires_at: {}", format_rfc3339_seconds(token.expires_at));
    Ok(())
}

/// Shows the beginning of the service's answer, whose format the service defines.
async fn show_jobs(title: &str, client: &Client) -> Result<(), Error> {
    let jobs = client.list_jobs().await?;
    let text = jobs.text();
    let start: String = text.trim().chars().take(SHOWN).collect();
    println!("{title}: {}, {} bytes", jobs.status, jobs.body.len());
    println!("  {start}{}", if start.len() < text.trim().len() { "…" } else { "" });
    Ok(())
}

/// The fields of an error, one per line.
fn explain(error: &CallError) -> String {
    let fields = serde_json::to_value(error).unwrap_or_default();
    let lines = fields.as_object().into_iter().flatten().map(|(name, value)| match value.as_str() {
        Some(text) => format!("  {name}: {text}\n"),
        None => format!("  {name}: {value}\n"),
    });
    lines.collect::<Vec<_>>().concat()
}
