//! The custom section `rostering` of a build of the plugin: the version of its release and that of its contract.

use serde::Deserialize;

use crate::{CONTRACT, Cause};

#[derive(Deserialize)]
struct Section {
    contract: u64,
}

/// Refuses a file that is not a build of the plugin, and one of another contract.
pub fn check(wasm: &[u8]) -> Result<(), Cause> {
    match find(wasm).and_then(|json| serde_json::from_slice(json).ok()) {
        Some(Section { contract: CONTRACT }) => Ok(()),
        Some(Section { contract }) => Err(format!(
            "the plugin has contract {contract}, and this library needs {CONTRACT}: take the library of the plugin's release"
        ))?,
        None => Err("the file is not a build of the plugin: it has no section \"rostering\"")?,
    }
}

fn find(wasm: &[u8]) -> Option<&[u8]> {
    let mut rest = wasm.strip_prefix(b"\0asm\x01\0\0\0")?;
    while let Some((id, after)) = rest.split_first() {
        let section;
        (section, rest) = take(after)?;
        if let (0, Some((b"rostering", content))) = (id, take(section)) {
            return Some(content);
        }
    }
    None
}

/// Splits off bytes that follow their length, a LEB128 number of 32 bits.
fn take(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let last = bytes.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    let (length, rest) = bytes.split_at(last + 1);
    let length = length.iter().rev().fold(0, |length: u64, byte| length << 7 | u64::from(byte & 0x7f));
    rest.split_at_checked(usize::try_from(length).ok()?)
}
