//! Measures what warm calls cost compared with the same requests of reqwest alone. tests/cmd/bench starts it with a service, writes
//! blocks of calls, one a line, and reads what they took. With the argument `blocking`, threads make the calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{env, io};

use automatic_rostering::reqwest::{self, StatusCode, redirect};
use automatic_rostering::{Cause, Client, Config, Options, VERSION, blocking};
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::{task, time};

#[derive(Clone, Copy, Deserialize)]
struct Block {
    who: Who,
    calls: usize,
    at_once: usize,
    pause_ms: u64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Who {
    Library,
    Bare,
}

struct Bench {
    library: Client,
    blocking: Option<blocking::Client>,
    /// Configured as the library's own.
    bare: reqwest::Client,
    config: Config,
    token: String,
}

impl Bench {
    async fn open() -> Result<Self, Cause> {
        let (config, options) = (Config::from_env()?, Options::default());
        let library = Client::open(&config, options.clone()).await?;
        let blocking = env::args().nth(1).map(|_| blocking::Client::open(&config, options)).transpose()?;
        let agent = format!("automatic-rostering/{VERSION} (rust)");
        let bare =
            reqwest::Client::builder().no_proxy().user_agent(agent).redirect(redirect::Policy::none()).build()?;
        let token = library.get_token().await?.access_token.expose().to_owned();
        Ok(Self { library, blocking, bare, config, token })
    }

    async fn call(&self, who: Who) -> Result<(), Cause> {
        match (who, &self.blocking) {
            (Who::Library, None) => drop(self.library.list_jobs().await?),
            (Who::Library, Some(blocking)) => drop(blocking.list_jobs()?),
            (Who::Bare, _) => {
                let Config { base_url, customer_id, user_id, .. } = &self.config;
                let request = self.bare.get(format!("{base_url}/jobs")).bearer_auth(&self.token);
                let response = request.header("CUSTOMER_ID", customer_id).header("USER_ID", user_id).send().await?;
                if response.status() != StatusCode::OK {
                    Err(response.status().to_string())?;
                }
                response.bytes().await?;
            }
        }
        Ok(())
    }

    /// Makes calls until there are enough. Returns how many microseconds each took.
    async fn work(self: Arc<Self>, block: Block, begun: Arc<AtomicUsize>) -> Vec<u128> {
        let mut took = Vec::new();
        while begun.fetch_add(1, Ordering::Relaxed) < block.calls {
            let start = Instant::now();
            self.call(block.who).await.unwrap();
            took.push(start.elapsed().as_micros());
            if block.pause_ms > 0 {
                time::sleep(Duration::from_millis(block.pause_ms)).await;
            }
        }
        took
    }
}

/// Returns the CPU time of all threads, in microseconds.
fn cpu() -> u128 {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap().as_micros()
}

#[tokio::main]
async fn main() -> Result<(), Cause> {
    let bench = Arc::new(Bench::open().await?);
    for line in io::stdin().lines() {
        let block: Block = serde_json::from_str(&line?)?;
        let (begun, start) = (Arc::default(), cpu());
        let workers: Vec<_> = (0..block.at_once)
            .map(|_| {
                let work = bench.clone().work(block, Arc::clone(&begun));
                if bench.blocking.is_none() {
                    return task::spawn(work);
                }
                task::spawn_blocking(|| Handle::current().block_on(work))
            })
            .collect();
        let mut took = Vec::new();
        for worker in workers {
            took.extend(worker.await?);
        }
        println!("{}", json!({ "cpu_us": cpu() - start, "wall_us": took }));
    }
    Ok(())
}
