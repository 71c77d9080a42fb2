//! A client of `build/sandbox`, which it builds if it is not there: an identity provider and a jobs service on loopback, with a control API.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

use automatic_rostering::{Client, Config, Options};
use serde::Deserialize;
use serde_json::{Value, json};
use ureq::Agent;

/// Bounds every wait; not a measure of how long things take.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// A running sandbox, which ends when this is dropped.
pub struct Sandbox {
    /// The `ROSTERING_*` variables of the examples.
    pub env: HashMap<String, String>,
    control_url: String,
    agent: Agent,
    process: Child,
}

static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    // Not env!: clones that share a target folder share this program.
    let top = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo test sets it")).join("../..");
    let program = top.join("build/sandbox");
    if !program.exists() {
        let made = Command::new("make").arg("-C").arg(top).arg("build/sandbox").status();
        assert!(made.is_ok_and(|status| status.success()), "make build/sandbox failed, which needs Go and make");
    }
    program
});

impl Sandbox {
    pub fn start() -> Self {
        let mut process =
            Command::new(&*PROGRAM).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the sandbox starts");
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let (sender, variables) = mpsc::channel();
        thread::spawn(move || {
            let variable = |line: String| {
                let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
                Some((name.to_owned(), value.trim_matches('\'').to_owned()))
            };
            let all = lines.take_while(|line| !line.starts_with("# end")).filter_map(variable).collect();
            sender.send(all)
        });
        let env: HashMap<_, _> = variables.recv_timeout(PATIENCE).expect("the sandbox starts");
        let agent = Agent::config_builder().timeout_global(Some(PATIENCE)).proxy(None).build().into();
        Self { control_url: env["ROSTERING_SANDBOX_URL"].clone(), env, agent, process }
    }

    /// Sets the fault of a server, and ends its previous one: sandbox/doc.go describes it.
    pub fn fault(&self, fault: &Value) {
        self.agent.post(format!("{}/faults", self.control_url)).send(fault.to_string()).unwrap();
    }

    /// Returns how many requests have arrived: for tokens, and to the jobs service.
    pub fn counts(&self) -> (u64, u64) {
        let response = self.agent.get(format!("{}/counts", self.control_url)).call().unwrap();
        let counts: Value = serde_json::from_reader(response.into_body().into_reader()).unwrap();
        (counts["token_requests"].as_u64().unwrap(), counts["job_requests"].as_u64().unwrap())
    }

    pub fn config(&self) -> Config {
        let field =
            |(name, value): (&String, &String)| Some((name.strip_prefix("ROSTERING_")?.to_lowercase(), value.clone()));
        let fields: HashMap<_, _> =
            self.env.iter().filter_map(field).filter(|(name, _)| name != "sandbox_url").collect();
        Config::deserialize(json!(fields)).unwrap()
    }

    pub async fn client(&self) -> Client {
        Client::open(&self.config(), Options::default()).await.expect("the plugin loads")
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
