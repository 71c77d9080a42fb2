//! Prints the jobs. Run it in the repository's top folder.

use std::{env, error};

use rostering::{Config, Error, Rostering};

fn main() -> Result<(), Box<dyn error::Error>> {
    // snippet
    let config = Config {
        environment: "stage".into(),
        auth_url: env::var("ROSTERING_AUTH_URL")?,
        base_url: env::var("ROSTERING_BASE_URL")?,
        client_id: env::var("ROSTERING_CLIENT_ID")?,
        client_secret: env::var("ROSTERING_CLIENT_SECRET")?.into(),
        customer_id: env::var("ROSTERING_CUSTOMER_ID")?,
        user_id: env::var("ROSTERING_USER_ID")?,
        ..Config::default()
    };
    let client = Rostering::open("dist/rostering.wasm", &config)?; // once; threads share it
    match client.list_jobs() {
        Ok(jobs) => println!("{}", String::from_utf8_lossy(&jobs)),
        Err(Error::Call(why)) if why.retryable => println!("later, after {:?}", why.retry_after),
        Err(error) => return Err(error.into()), // says what to do
    }
    // end of snippet
    Ok(())
}
