//! Prints what `list_jobs` costs next to the same request of reqwest alone: the medians of the ratios of batches.

use std::time::{Duration, Instant};

use automatic_rostering::reqwest::redirect::Policy;
use automatic_rostering::{Cause, Client, Config, Options, VERSION, reqwest};
use rustix::time::{ClockId, clock_gettime};

const PAIRS: usize = 25;
const BATCH: usize = 400;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Cause> {
    let config = Config::from_env()?;
    let client = Client::open(&config, Options::default()).await?;
    let token = client.get_token().await?;
    let agent = format!("automatic-rostering/{VERSION} (rust)");
    let bare = reqwest::Client::builder().no_proxy().user_agent(agent).redirect(Policy::none()).build()?;

    let library = async || Ok(client.list_jobs().await?.body);
    let bare = async || {
        let request = bare.get(format!("{}/jobs", config.base_url)).bearer_auth(token.access_token.expose());
        let request = request.header("CUSTOMER_ID", &config.customer_id).header("USER_ID", &config.user_id);
        Ok(request.send().await?.error_for_status()?.bytes().await?)
    };
    assert_eq!(library().await?, bare().await?); // which also connects both
    let (mut cpu, mut time) = (Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        let (ours, theirs) = if pair % 2 == 0 {
            (batch(&library).await?, batch(&bare).await?)
        } else {
            let theirs = batch(&bare).await?;
            (batch(&library).await?, theirs)
        };
        cpu.push(ours.0.div_duration_f64(theirs.0));
        time.push(ours.1.div_duration_f64(theirs.1));
    }
    println!("Rust: list_jobs next to reqwest: CPU {:.2}, time {:.2}", median(cpu), median(time));
    Ok(())
}

/// Makes calls one after the other. Returns the CPU time of the process and the time that they took.
async fn batch<T>(call: &impl AsyncFn() -> Result<T, Cause>) -> Result<(Duration, Duration), Cause> {
    let (before, start) = (cpu()?, Instant::now());
    for _ in 0..BATCH {
        call().await?;
    }
    Ok((cpu()?.saturating_sub(before), start.elapsed()))
}

fn cpu() -> Result<Duration, Cause> {
    Ok(clock_gettime(ClockId::ProcessCPUTime).try_into()?)
}

fn median(mut ratios: Vec<f64>) -> f64 {
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}
