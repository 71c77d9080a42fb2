//! Tests of the rows of docs/sdk.md. tests/conformance proves the rules that all hosts share. All are one program, since each
//! program that links the library takes a while to build.

mod blocking;
mod calls;
mod close;
mod config;
mod contract;
mod errors;
mod fake;
mod host;
mod log;
mod middleware;
mod retry;
mod sandbox;
mod stores;
