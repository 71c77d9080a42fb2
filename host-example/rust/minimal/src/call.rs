//! Makes the calls that JSON lines on standard input ask for, for the tests of the plugin.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::{fs, io, mem};

use base64::{Engine, prelude::BASE64_STANDARD};
use extism::{Manifest, Plugin, PluginBuilder, Wasm};
use serde_json::{Value, json};

pub fn run() -> Result<(), Box<dyn Error>> {
    let logs = Arc::new(Mutex::new(Vec::new()));
    let lines = logs.clone();
    extism::set_log_callback(
        move |line| lines.lock().unwrap().extend(read(line)),
        "extism::pdk=debug",
    )?;
    let mut plugins = HashMap::new();
    for line in io::stdin().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let mut response = handle(&mut plugins, &request).unwrap_or_else(|error| {
            let text = error.to_string(); // one of the plugin is a JSON object
            json!({ if text.starts_with('{') { "error" } else { "trap" }: text })
        });
        response["id"] = request["id"].clone();
        response["logs"] = mem::take(&mut *logs.lock().unwrap()).into();
        println!("{response}");
    }
    Ok(())
}

fn handle(plugins: &mut HashMap<String, Plugin>, request: &Value) -> Result<Value, Box<dyn Error>> {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    match text("op") {
        "versions" => {
            return Ok(
                json!({ "versions": format!("extism {}", extism::extism_version().trim_end_matches('\0')) }),
            );
        }
        "create" => {
            let mut manifest = Manifest::new([Wasm::data(fs::read(text("wasm"))?)]);
            manifest.config = serde_json::from_value(request["config"].clone()).unwrap_or_default();
            manifest.allowed_hosts = serde_json::from_value(request["allowed_hosts"].clone())?;
            let plugin = PluginBuilder::new(manifest)
                .with_wasi(request["wasi"] == true)
                .build()?;
            plugins.insert(text("instance").into(), plugin);
        }
        "call" => {
            let plugin = plugins
                .get_mut(text("instance"))
                .ok_or("there is no such instance")?;
            let output: Vec<u8> =
                plugin.call(text("export"), BASE64_STANDARD.decode(text("input"))?)?;
            return Ok(json!({ "output": BASE64_STANDARD.encode(output) }));
        }
        "close" => drop(plugins.remove(text("instance"))),
        op => return Err(format!("no operation {op}").into()),
    }
    Ok(json!({}))
}

/// Reads a line of the SDK's: `TIME LEVEL extism::pdk: LINE plugin="ID"`.
fn read(line: &str) -> Option<Value> {
    let (head, rest) = line.split_once(" extism::pdk: ")?;
    let (line, _) = rest.rsplit_once(" plugin=")?;
    Some(json!({ "level": head.split_whitespace().nth(1)?.to_lowercase(), "line": line }))
}
