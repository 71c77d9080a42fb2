use rostering::{CONTRACT, Client, Config, Error, Options, VERSION};

/// Why a file is refused.
async fn refusal(wasm: Vec<u8>) -> Option<String> {
    match Client::open(&Config::default(), Options { wasm, ..Options::default() }).await {
        Ok(_) => None,
        Err(Error::Open(cause)) => Some(cause.to_string()),
        Err(error) => panic!("{error:?}"),
    }
}

/// A module of sections, each of which is its id and content.
fn module(sections: &[(u8, &[u8])]) -> Vec<u8> {
    let mut wasm = b"\0asm\x01\0\0\0".to_vec();
    for (id, content) in sections {
        let length = u8::try_from(content.len()).unwrap();
        wasm.extend([*id, length | 0x80, 0x80, 0x80, 0x80, 0]); // as long as LEB128 may be
        wasm.extend(*content);
    }
    wasm
}

#[tokio::test]
async fn of_the_plugin() {
    assert_eq!(VERSION, include_str!("../../../../VERSION").trim());
    let plugin = Options::default().wasm;
    let told = format!("{{\"version\":\"{VERSION}\",\"contract\":{CONTRACT}}}");
    assert!(plugin.ends_with(told.as_bytes()));

    let other = String::from_utf8_lossy(b"\x09rostering{\"version\":\"9.0.0\",\"contract\":2}").into_owned();
    let refused = refusal(module(&[(1, b"\0"), (0, b"\x04name"), (0, other.as_bytes())])).await.unwrap();
    let expected = "the plugin has contract 2, and this library needs 1: take the library of the plugin's release";
    assert_eq!(refused, expected);
}

#[tokio::test]
async fn of_other_files() {
    let full = module(&[(0, b"\x09rostering{\"contract\":2}")]);
    let wasm = |tail: &[u8]| [b"\0asm\x01\0\0\0".as_slice(), tail].concat();
    let not_custom = module(&[(1, b"\x09rostering{\"contract\":1}"), (0, b"\x08rosterin{\"contract\":1}")]);
    let mut files = vec![
        Vec::new(),
        b"#!/bin/sh\n".into(),
        not_custom,
        module(&[(0, b"\x09rostering{\"contract\":\"1\"}")]),
        module(&[(0, b"\x09rostering")]),
        module(&[(0, b"\xff\xff\xff\xff\x0frostering")]), // a name of 4 GiB
        wasm(&[0, 0xff, 0xff, 0xff, 0xff, 0x0f]),
        wasm(&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
        wasm(&[0, 0x80]),
    ];
    files.extend((0..full.len()).map(|length| full[..length].to_vec()));
    for file in files {
        let refused = refusal(file).await;
        assert_eq!(refused.as_deref(), Some("the file is not a build of the plugin: it has no section \"rostering\""));
    }
    // A section is enough to be loaded; what it lacks shows later.
    let hollow = Options { wasm: module(&[(0, b"\x09rostering{\"contract\":1}")]), ..Options::default() };
    let client = Client::open(&Config::default(), hollow).await.unwrap();
    assert!(matches!(client.list_jobs().await, Err(Error::Failed(_))));
}
