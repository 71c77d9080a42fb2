//! Prints the jobs.

// snippet
use automatic_rostering::{Client, Config, Error, Options};

#[tokio::main]
async fn main() {
    if let Err(error) = print_jobs().await {
        eprintln!("{error}"); // explains how to fix it
        if let Some(body) = &error.body {
            eprintln!("{}", body.chars().take(500).collect::<String>());
        }
        std::process::exit(1);
    }
}

async fn print_jobs() -> Result<(), Error> {
    let client = Client::open(&Config::from_env()?, Options::default()).await?; // one per process
    println!("{}", client.list_jobs().await?.text());
    client.close().await;
    Ok(())
}
// end of snippet
