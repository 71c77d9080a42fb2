//! What only Rust can show. The rules of tests/behavior.md are tested by tests/runner. All are one program, since each program that links
//! the library takes a while to build.

mod api;
mod blocking;
mod config;
mod connections;
mod fake;
mod flow;
mod retry;
mod sandbox;
