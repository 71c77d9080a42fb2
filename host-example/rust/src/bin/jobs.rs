//! Prints the jobs.

use std::{env, error};

use rostering::{Client, Config, Environment, Error, Options};

#[tokio::main]
async fn main() -> Result<(), Box<dyn error::Error>> {
    // snippet
    let config = Config {
        environment: Some(Environment::Stage),
        auth_url: env::var("ROSTERING_AUTH_URL")?,
        base_url: env::var("ROSTERING_BASE_URL")?,
        client_id: env::var("ROSTERING_CLIENT_ID")?,
        client_secret: env::var("ROSTERING_CLIENT_SECRET")?.into(),
        customer_id: env::var("ROSTERING_CUSTOMER_ID")?,
        user_id: env::var("ROSTERING_USER_ID")?,
        ..Config::default()
    };
    let client = Client::open(&config, Options::default()).await?; // once; tasks share it
    match client.list_jobs().await {
        Ok(jobs) => println!("{}", jobs.json::<serde_json::Value>()?),
        Err(Error::Call(error)) if error.retryable => eprintln!("{error}; again in {:?}", error.retry_after),
        Err(error) => return Err(error.into()), // says what to do
    }
    // end of snippet
    client.close().await;
    Ok(())
}
