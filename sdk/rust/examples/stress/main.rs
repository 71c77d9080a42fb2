//! Many tasks and threads call several clients while servers and the store fail, tokens are revoked, and clients are closed
//! and opened anew. tasks.sh starts it. The process fails at the first violation: an error that no fault causes, a call that
//! does not end, a secret or a token in an error or in the log, or something left behind after closing.

use std::env;
use std::fs;
use std::panic;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use checks::{Log, SECRET, SEED, TOKEN, violation};
use fastrand::Rng;
use sandbox::Sandbox;
use tokio::runtime::{Builder, Handle};
use tokio::time::sleep;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use world::{Counts, World};

mod checks;
#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../../tests/behavior/sandbox.rs"]
mod sandbox;
mod store;
mod world;

const ROUNDS: u32 = 4; // after each, all clients are closed

/// How much longer than its timeout a call may take on a machine with much else to do.
const GRACE: Duration = Duration::from_mins(1);

/// Between the rounds, memory may grow by fragments, but not by what leaks in each call.
const GROWTH: u64 = 64 << 20;

fn main() {
    let number = |name| env::var(name).ok().map(|value| value.parse().expect(name));
    let seed = *SEED.get_or_init(|| number("STRESS_SEED").unwrap_or_else(|| fastrand::u64(..)));
    let length = Duration::from_secs(number("STRESS_SECONDS").unwrap_or(60));
    println!("STRESS_SEED={seed}, {length:?}");
    panic::set_hook(Box::new(|panic| violation(&panic.to_string())));
    let only = Targets::new().with_target("automatic_rostering", Level::DEBUG);
    tracing_subscriber::registry().with(only).with(layer().with_writer(|| Log)).init();
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(4).thread_keep_alive(Duration::from_millis(100)).enable_all().build();
    runtime.unwrap().block_on(stress(Rng::with_seed(seed), length));
}

async fn stress(mut rng: Rng, length: Duration) {
    let (sandbox, counts) = (Arc::new(Sandbox::start()), Arc::<Counts>::default());
    SECRET.set(sandbox.secret().into()).unwrap();
    let warm = World::new(&sandbox, &counts).await;
    let token = lock(&warm.blocking).client.get_token().unwrap();
    assert!(token.access_token.expose().starts_with(TOKEN));
    warm.recover().await;
    warm.close_all().await;
    drop(warm);
    sandbox.clear_faults(); // opens its connection
    let (before, mut memory) = (held(), Vec::new());
    for round in 1..=ROUNDS {
        let world = World::new(&sandbox, &counts).await;
        let watched = Arc::downgrade(&world);
        thread::spawn(move || watch(&watched));
        world.run(rng.fork(), length / ROUNDS).await;
        if round == ROUNDS {
            world.recover().await;
        }
        world.close_all().await;
        drop(world);
        memory.push(left_behind(before).await);
    }
    if memory[memory.len() - 1] > memory[0] + GROWTH {
        violation(&format!("memory grows: {memory:?} bytes"));
    }
    let Counts { calls, failed, canceled, faults, closed } = &*counts;
    println!(
        "{calls:?} calls, of which {failed:?} failed and {canceled:?} were canceled; {faults:?} faults, {closed:?} clients \
         closed; {} MB at the end",
        memory[memory.len() - 1] >> 20
    );
}

/// Ends the process if a worker does the same for too long, as in a deadlock.
fn watch(world: &Weak<World>) {
    while let Some(world) = world.upgrade() {
        let doing = lock(&world.doing).clone();
        if doing.values().any(|(_, since)| since.elapsed() > GRACE * 2) {
            for (worker, (what, since)) in doing {
                println!("worker {worker}: {what} for {:?}", since.elapsed());
            }
            for thread in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
                let read = |file| fs::read_to_string(thread.path().join(file)).unwrap_or_default();
                println!("{}: {} in {}", thread.path().display(), read("comm").trim(), read("wchan").trim());
            }
            violation("a worker is stuck");
        }
        drop(world);
        thread::sleep(Duration::from_secs(1));
    }
}

/// What a process holds: tasks of this runtime, threads, open files, and bytes of memory.
fn held() -> (usize, usize, usize, u64) {
    let count = |folder| fs::read_dir(folder).map_or(0, Iterator::count);
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or_default();
    (Handle::current().metrics().num_alive_tasks(), count("/proc/self/task"), count("/proc/self/fd"), pages * 4096)
}

/// Waits until nothing but memory is held that was not before. Returns the memory.
async fn left_behind(before: (usize, usize, usize, u64)) -> u64 {
    let end = Instant::now() + GRACE;
    loop {
        let (tasks, threads, files, memory) = held();
        if tasks <= before.0 && threads <= before.1 && files <= before.2 {
            return memory;
        }
        if Instant::now() > end {
            violation(&format!("tasks, threads, files: {:?} before, {:?} after", before, (tasks, threads, files)));
        }
        sleep(Duration::from_millis(100)).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
