use std::fs;
use std::path::Path;

use rostering::Error;

use crate::form::Form;
use crate::service::{JOBS, Service, WASM};

in_both_forms!(bytes, no_file, other_files);

fn bytes(form: Form) {
    let service = Service::start();
    let client = form.load(fs::read(WASM).unwrap(), &service.config()).unwrap();
    assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
}

fn no_file(form: Form) {
    let result = form.try_open("none.wasm", &Service::start().config());
    assert!(
        matches!(&result, Err(Error::Read { path, .. }) if path == Path::new("none.wasm")),
        "{result:?}"
    );
}

fn other_files(form: Form) {
    for content in ["", "#!/bin/sh", "\0asm\u{1}\0\0\0", "(module (func (export \"list_jobs\")))"] {
        let result = form.load(content, &Service::start().config());
        assert!(matches!(result, Err(Error::Load(_))), "{content:?}: {result:?}");
    }
}
