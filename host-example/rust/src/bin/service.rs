//! A service with one client for all requests: `GET /jobs` on the port `PORT` (default: 8080; 0 picks a free one), which it
//! prints. It shuts down gracefully on SIGTERM.

use std::process::ExitCode;
use std::{env, error};

use automatic_rostering::{Client, Config, Error, Options};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::ctrl_shutdown;

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn error::Error>> {
    let client = Client::open(&Config::from_env()?, Options::default()).await?;
    let routes = Router::new()
        .route("/jobs", get(jobs))
        .with_state(client.clone());
    let port = env::var("PORT").unwrap_or("8080".into()).parse()?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?; // 0.0.0.0 in a container
    #[cfg(unix)]
    let mut terminate = signal(SignalKind::terminate())?;
    #[cfg(windows)]
    let mut terminate = ctrl_shutdown()?;
    println!("{}", listener.local_addr()?.port());
    let terminated = async move {
        terminate.recv().await;
    };
    axum::serve(listener, routes)
        .with_graceful_shutdown(terminated)
        .await?;
    client.close().await;
    Ok(())
}

async fn jobs(State(client): State<Client>) -> Response {
    match client.list_jobs().await {
        Ok(jobs) => (
            jobs.headers
                .get(CONTENT_TYPE)
                .map(|kind| [(CONTENT_TYPE, kind.clone())]),
            jobs.body,
        )
            .into_response(),
        Err(error) => response_to(&error),
    }
}

/// Tells the caller whether to retry; the reason is for the log.
fn response_to(error: &Error) -> Response {
    eprintln!("{error}");
    if error.retryable {
        let seconds = error.retry_after.map_or(1, |wait| wait.as_secs());
        (
            StatusCode::SERVICE_UNAVAILABLE,
            [(RETRY_AFTER, seconds.to_string())],
            "try again later",
        )
            .into_response()
    } else {
        (StatusCode::BAD_GATEWAY, "the jobs cannot be read").into_response()
    }
}
