//! What ends the process.

use std::io;
use std::process::exit;
use std::sync::OnceLock;

/// The client's secret.
pub static SECRET: OnceLock<String> = OnceLock::new();
/// The seed of the random choices.
pub static SEED: OnceLock<u64> = OnceLock::new();

/// Ends the process, with what has gone wrong.
pub fn violation(what: &str) -> ! {
    println!("violation with STRESS_SEED={}: {what}", SEED.get().unwrap_or(&0));
    exit(1)
}

/// How all tokens of the sandbox begin.
pub const TOKEN: &str = "eyJ";

/// Nothing that a program logs or shows may have the secret or a token.
pub fn check_no_secret(text: &str) {
    if text.contains(TOKEN) || SECRET.get().is_some_and(|secret| text.contains(secret)) {
        violation(&format!("a secret or a token is shown: {text}"));
    }
}

/// Checks what the library logs.
pub struct Log;

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check_no_secret(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
