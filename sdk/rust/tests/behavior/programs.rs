use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::sandbox::Sandbox;
use crate::stores::Redis;

const EXAMPLE: &str = env!("CARGO_BIN_EXE_example");
const FLEET: &str = env!("CARGO_BIN_EXE_fleet");
const PROGRAMS: [&str; 2] = [env!("CARGO_BIN_EXE_jobs"), env!("CARGO_BIN_EXE_minimal")];

struct Outcome {
    success: bool,
    stdout: String,
    stderr: String,
}

fn run(program: &str, sandbox: &Sandbox, changes: &[(&str, &str)], input: &str) -> Outcome {
    let mut child = Command::new(program)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .envs(&sandbox.env)
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
    assert!(!stdout.contains(sandbox.secret()) && !stderr.contains(sandbox.secret()));
    Outcome { success: status.success(), stdout, stderr }
}

#[test]
fn shows_token_jobs_and_error() {
    let sandbox = Sandbox::start();
    // The SDK's folder for its cache is not needed.
    let none = [("HOME", "/dev/null/none"), ("XDG_CACHE_HOME", "/dev/null/none")];
    let Outcome { success, stdout, stderr } = run(EXAMPLE, &sandbox, &none, "");
    assert!(success, "{stderr}");
    let lines: Vec<_> = stdout.lines().collect();
    assert!(lines[0].starts_with("token: ") && lines[0].ends_with(" characters)"), "{stdout}");
    assert!(lines[1].starts_with("  expires_at: 2"), "{stdout}");
    assert!(lines[2].starts_with("jobs: 200 OK, ") && lines[3].starts_with(r#"  {"sandbox":"#), "{stdout}");
    assert_eq!(lines[6..8], ["a wrong client_secret:", "  code: token_endpoint_rejected"]);
    assert!(lines.contains(&"  oauth_error: invalid_client"), "{stdout}");
    assert_eq!(sandbox.counts(), (2, 2));
    assert!(!stdout.contains(&sandbox.token()));
}

#[test]
fn says_what_is_wrong() {
    let sandbox = Sandbox::start();
    let missing = [("ROSTERING_CLIENT_SECRET", ""), ("ROSTERING_USER_ID", "")];
    let outcome = run(EXAMPLE, &sandbox, &missing, "");
    assert_eq!(outcome.stderr, "failed: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n");
    let outcome = run(EXAMPLE, &sandbox, &[("ROSTERING_WASM", "none.wasm")], "");
    assert!(outcome.stderr.starts_with("failed: cannot read none.wasm: "), "{}", outcome.stderr);
    let outcome = run(EXAMPLE, &sandbox, &[("ROSTERING_CLIENT_SECRET", "not-the-secret")], "");
    assert!(outcome.stderr.starts_with("failed: token_endpoint_rejected: "), "{}", outcome.stderr);
    assert!(!outcome.success && outcome.stderr.contains("\n  status: 401\n"), "{}", outcome.stderr);
}

#[test]
fn library_and_direct_form() {
    let sandbox = Sandbox::start();
    for program in PROGRAMS {
        let outcome = run(program, &sandbox, &[], "");
        assert!(outcome.success, "{}", outcome.stderr);
        let jobs: Value = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(jobs["customer_id"], sandbox.config().customer_id);
        let outcome = run(program, &sandbox, &[("ROSTERING_CLIENT_SECRET", "not-the-secret")], "");
        assert!(!outcome.success && outcome.stderr.contains("token endpoint"), "{}", outcome.stderr);
    }
}

#[test]
fn fleet() {
    let Some(redis) = Redis::start() else { return };
    let sandbox = Sandbox::start();
    let [one, other] = [(), ()].map(|()| {
        let outcome = run(FLEET, &sandbox, &[("ROSTERING_REDIS", &redis.url)], "0\n2\n");
        assert!(outcome.success, "{}", outcome.stderr);
        let (first, second) = outcome.stdout.split_once('\n').unwrap();
        assert_eq!(first, r#"{"calls":0}"#);
        second.to_owned()
    });
    let digest = Sha256::digest(sandbox.token());
    let token = format!(r#""token":"{:02x}{:02x}{:02x}{:02x}""#, digest[0], digest[1], digest[2], digest[3]);
    assert!(one == other && one.contains(r#""calls":2"#) && one.contains(&token), "{one}{other}");
    assert_eq!(sandbox.counts(), (1, 4));
}
