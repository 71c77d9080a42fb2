//! A service with one client for all requests: `GET /jobs` on the port `PORT` (8080 if not set; 0 is a free one), which it
//! prints. SIGTERM ends it, after the requests in progress.

use std::{env, error};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rostering::{Client, Error};
use rostering_example::{read_config, read_options};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn error::Error>> {
    let client = Client::open(&read_config()?, read_options()?).await?;
    let routes = Router::new().route("/jobs", get(jobs)).with_state(client.clone());
    let port = env::var("PORT").unwrap_or("8080".into()).parse()?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?; // 0.0.0.0 in a container
    let mut terminate = signal(SignalKind::terminate())?;
    println!("{}", listener.local_addr()?.port());
    let terminated = async move {
        terminate.recv().await;
    };
    axum::serve(listener, routes).with_graceful_shutdown(terminated).await?;
    client.close().await;
    Ok(())
}

async fn jobs(State(client): State<Client>) -> Response {
    match client.list_jobs().await {
        Ok(jobs) => {
            (jobs.headers.get(CONTENT_TYPE).map(|kind| [(CONTENT_TYPE, kind.clone())]), jobs.body).into_response()
        }
        Err(error) => answer(&error),
    }
}

/// The caller learns whether to try again; what went wrong is for the log.
fn answer(error: &Error) -> Response {
    eprintln!("{error}");
    match error {
        Error::Call(error) if error.retryable => {
            let seconds = error.retry_after.map_or(1, |wait| wait.as_secs());
            (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, seconds.to_string())], "try again later").into_response()
        }
        _ => (StatusCode::BAD_GATEWAY, "the jobs cannot be read").into_response(),
    }
}
