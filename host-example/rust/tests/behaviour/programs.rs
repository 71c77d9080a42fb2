use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::service::{JOBS, SECRET, Service};
use crate::stores::Redis;

const EXAMPLE: &str = env!("CARGO_BIN_EXE_example");
const FLEET: &str = env!("CARGO_BIN_EXE_fleet");
const PROGRAMS: [&str; 2] = [env!("CARGO_BIN_EXE_jobs"), env!("CARGO_BIN_EXE_minimal")];

struct Outcome {
    success: bool,
    stdout: String,
    stderr: String,
}

fn run(program: &str, service: &Service, changes: &[(&str, &str)], input: &str) -> Outcome {
    let mut child = Command::new(program)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .env("ROSTERING_AUTH_URL", &service.url)
        .env("ROSTERING_BASE_URL", &service.url)
        .env("ROSTERING_ENVIRONMENT", "stage")
        .env("ROSTERING_CLIENT_ID", "client")
        .env("ROSTERING_CLIENT_SECRET", SECRET)
        .env("ROSTERING_CUSTOMER_ID", "customer")
        .env("ROSTERING_USER_ID", "user")
        .env("ROSTERING_WASM", "")
        .envs(changes.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input.as_bytes()); // a program that failed reads nothing
    drop(stdin);
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!stdout.contains(SECRET) && !stderr.contains(SECRET));
    Outcome { success: status.success(), stdout, stderr }
}

#[test]
fn shows_token_jobs_and_error() {
    let service = Service::start();
    // The SDK's folder for its cache is not needed.
    let none = [("HOME", "/dev/null/none"), ("XDG_CACHE_HOME", "/dev/null/none")];
    let Outcome { success, stdout, stderr } = run(EXAMPLE, &service, &none, "");
    assert!(success, "{stderr}");
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines[0], "token: access-t… (14 characters)");
    assert!(lines[1].starts_with("  expires_at: 2"), "{stdout}");
    assert_eq!(lines[2..4], ["jobs: 200 OK, 10 bytes", r#"  [{"id":1}]"#]);
    assert_eq!(lines[6..8], ["a wrong client_secret:", "  code: token_endpoint_rejected"]);
    assert!(lines.contains(&"  oauth_error: invalid_client"), "{stdout}");
    assert_eq!(service.count(), (2, 2));
}

#[test]
fn says_what_is_wrong() {
    let service = Service::start();
    let missing = [("ROSTERING_CLIENT_SECRET", ""), ("ROSTERING_USER_ID", "")];
    let outcome = run(EXAMPLE, &service, &missing, "");
    assert_eq!(outcome.stderr, "failed: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n");
    let outcome = run(EXAMPLE, &service, &[("ROSTERING_WASM", "none.wasm")], "");
    assert!(outcome.stderr.starts_with("failed: cannot read none.wasm: "), "{}", outcome.stderr);
    let outcome = run(EXAMPLE, &service, &[("ROSTERING_CLIENT_SECRET", "not-the-secret")], "");
    assert!(outcome.stderr.starts_with("failed: token_endpoint_rejected: "), "{}", outcome.stderr);
    assert!(!outcome.success && outcome.stderr.contains("\n  status: 401\n"), "{}", outcome.stderr);
}

#[test]
fn library_and_direct_form() {
    let service = Service::start();
    for program in PROGRAMS {
        let outcome = run(program, &service, &[], "");
        assert!(outcome.success, "{}", outcome.stderr);
        assert_eq!(outcome.stdout, format!("{JOBS}\n"));
        let outcome = run(program, &service, &[("ROSTERING_CLIENT_SECRET", "not-the-secret")], "");
        assert!(!outcome.success && outcome.stderr.contains("token endpoint"), "{}", outcome.stderr);
    }
}

#[test]
fn fleet() {
    let (service, redis) = (Service::start(), Redis::start());
    for _ in 0..2 {
        let outcome = run(FLEET, &service, &[("ROSTERING_REDIS", &redis.url)], "0\n2\n");
        assert!(outcome.success, "{}", outcome.stderr);
        let (first, second) = outcome.stdout.split_once('\n').unwrap();
        assert_eq!(first, r#"{"calls":0}"#);
        // The beginning of the SHA-256 of access-token-1.
        assert!(second.contains(r#""calls":2"#) && second.contains(r#""token":"c5b0f233""#), "{second}");
    }
    assert_eq!(service.count(), (1, 4));
}
