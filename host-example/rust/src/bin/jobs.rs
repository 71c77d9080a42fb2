//! Prints the jobs.

use std::process::ExitCode;

use automatic_rostering::{Client, Config, Error, Options};

#[tokio::main]
async fn main() -> ExitCode {
    match print_jobs().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}"); // says what to do
            ExitCode::FAILURE
        }
    }
}

async fn print_jobs() -> Result<(), Error> {
    // snippet
    let config = Config::from_env()?; // ROSTERING_AUTH_URL and so on
    let client = Client::open(&config, Options::default()).await?; // once: tasks share it
    let jobs = client.list_jobs().await?;
    println!("{}", jobs.text());
    client.close().await;
    // end of snippet
    Ok(())
}
