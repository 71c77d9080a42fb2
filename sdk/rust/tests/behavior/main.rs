//! Tests of what is Rust's own; tests/conformance proves the rules that all hosts share. In one program: each that links
//! the SDK takes a while to build.

mod blocking;
mod calls;
mod contract;
mod errors;
mod log;
mod middleware;
mod programs;
mod sandbox;
mod service;
mod stores;
