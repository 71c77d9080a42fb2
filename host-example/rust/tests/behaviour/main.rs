//! Tests against a service on loopback, in one program: each that links the SDK takes a while to
//! build.

#[macro_use]
mod form;

mod at_once;
mod calls;
mod driven;
mod errors;
mod network;
mod open;
mod programs;
mod secrets;
mod service;
mod sharing;
