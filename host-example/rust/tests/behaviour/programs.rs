//! The example, and the one that is short enough to be quoted.

use std::process::{Command, Output};

use crate::service::{JOBS, SECRET, Service, WASM, answer};

const EXAMPLE: &str = env!("CARGO_BIN_EXE_example");
const MINIMAL: &str = env!("CARGO_BIN_EXE_minimal");
const TOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

struct Outcome {
    success: bool,
    stdout: String,
    stderr: String,
}

fn run(program: &str, service: &Service, changes: &[(&str, &str)]) -> Outcome {
    let output = Command::new(program)
        .current_dir(TOP)
        .env("ROSTERING_AUTH_URL", &service.url)
        .env("ROSTERING_BASE_URL", &service.url)
        .env("ROSTERING_ENVIRONMENT", "stage")
        .env("ROSTERING_CLIENT_ID", "client")
        .env("ROSTERING_CLIENT_SECRET", SECRET)
        .env("ROSTERING_CUSTOMER_ID", "customer")
        .env("ROSTERING_USER_ID", "user")
        .env("ROSTERING_WASM", WASM)
        .envs(changes.iter().copied())
        .output();
    let Output { status, stdout, stderr } = output.expect("the program runs");
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!stdout.contains(SECRET) && !stderr.contains(SECRET));
    Outcome { success: status.success(), stdout, stderr }
}

#[test]
fn shows_token_jobs_and_error() {
    let service = Service::start();
    let Outcome { success, stdout, stderr } = run(EXAMPLE, &service, &[("ROSTERING_WASM", "")]);
    assert!(success, "{stderr}");
    assert_eq!(stderr, "");
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines[0], "token: token-1… (7 characters)");
    assert!(lines[1].starts_with("  expires_at: 2"), "{stdout}");
    assert_eq!(lines[2..4], ["jobs: 10 bytes", r#"  [{"id":1}]"#]);
    assert_eq!(lines[6..8], ["a wrong client_secret:", "  code: token_endpoint_rejected"]);
    assert!(lines.contains(&"  oauth_error: invalid_client"), "{stdout}");
    assert_eq!(service.count(), (2, 2));
}

#[test]
fn folder_for_the_cache_is_not_needed() {
    let none = "/dev/null/none";
    let outcome = run(EXAMPLE, &Service::start(), &[("HOME", none), ("XDG_CACHE_HOME", none)]);
    assert!(outcome.success, "{}", outcome.stderr);
}

#[test]
fn names_what_is_missing() {
    let changes = [("ROSTERING_CLIENT_SECRET", ""), ("ROSTERING_USER_ID", "")];
    let outcome = run(EXAMPLE, &Service::start(), &changes);
    assert!(!outcome.success);
    assert_eq!(outcome.stderr, "failed: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n");
}

#[test]
fn no_plugin() {
    let outcome = run(EXAMPLE, &Service::start(), &[("ROSTERING_WASM", "none.wasm")]);
    assert!(!outcome.success);
    assert!(outcome.stderr.starts_with("failed: cannot read none.wasm: "), "{}", outcome.stderr);
}

#[test]
fn explains_an_error() {
    let service = Service::start();
    service.on_token(|_| answer(429, r#"{"error":"slow_down"}"#));
    let Outcome { success, stderr, .. } = run(EXAMPLE, &service, &[]);
    assert!(!success);
    for text in ["failed: token_endpoint_unavailable: ", "  status: 429\n", "slow_down"] {
        assert!(stderr.contains(text), "{stderr}");
    }
}

#[test]
fn minimal() {
    let service = Service::start();
    let outcome = run(MINIMAL, &service, &[]);
    assert!(outcome.success, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, format!("{JOBS}\n"));

    service.on_jobs(|_| answer(503, ""));
    let outcome = run(MINIMAL, &service, &[]);
    assert!(outcome.success, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "later, after None\n");

    let outcome = run(MINIMAL, &service, &[("ROSTERING_CLIENT_SECRET", "wrong")]);
    assert!(!outcome.success && outcome.stderr.contains("TokenEndpointRejected"));
}
