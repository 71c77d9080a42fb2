use std::fs;
use std::path::Path;

use rostering::{Error, Rostering};

use crate::service::{JOBS, Service, WASM};

#[test]
fn bytes() {
    let service = Service::start();
    let client = Rostering::load(fs::read(WASM).unwrap(), &service.config()).unwrap();
    assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
}

#[test]
fn no_file() {
    let result = Rostering::open("none.wasm", &Service::start().config());
    assert!(
        matches!(&result, Err(Error::Read { path, .. }) if path == Path::new("none.wasm")),
        "{result:?}"
    );
}

#[test]
fn other_files() {
    for content in ["", "#!/bin/sh", "\0asm\u{1}\0\0\0", "(module (func (export \"list_jobs\")))"] {
        let result = Rostering::load(content, &Service::start().config());
        assert!(matches!(result, Err(Error::Load(_))), "{content:?}: {result:?}");
    }
}
