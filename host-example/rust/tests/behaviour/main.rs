//! Tests against a service on loopback, in one program: each that links the SDK takes a while to
//! build.

mod calls;
mod errors;
mod network;
mod open;
mod programs;
mod secrets;
mod service;
