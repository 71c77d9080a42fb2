//! The environment, in processes of their own.

use std::env;
use std::ffi::OsStr;
use std::process::Command;

use automatic_rostering::reqwest::Proxy;
use automatic_rostering::{Client, Code, Config, Options, block_on};

use crate::api::{call_error, choose_provider};
use crate::sandbox::Sandbox;

pub const CHILD: &str = "TEST_IN_A_CHILD";

/// Runs a test of this program again in a process with these variables, and returns what it prints.
pub fn in_child<V: AsRef<OsStr>>(test: &str, variables: impl IntoIterator<Item = (String, V)>) -> String {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env_remove("NO_PROXY").env_remove("no_proxy");
    let output = command.env(CHILD, "").envs(variables).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

#[test]
fn unknown_field() {
    let error = call_error(Config::default().set("none", "x"));
    assert_eq!((error.code, error.key.as_deref()), (Code::ConfigInvalid, Some("none")));
    assert!(error.message.starts_with("none is no field"), "{error}");
}

/// The rules open clients with variables, whose values are set by the names of the fields.
#[test]
fn each_name_sets_its_field() {
    let empty = format!("{:?}", Config::default());
    let (fields, _private) = empty.split_once(", raw_").unwrap();
    for key in fields.trim_start_matches("Config { ").split(", ").filter_map(|field| field.strip_suffix(r#": """#)) {
        let mut config = Config::default();
        config.set(key, "x").unwrap();
        assert!(format!("{config:?}").contains(&format!(r#" {key}: "x""#)), "{config:?}");
    }
}

/// What could not be read does not come back after a valid value.
#[tokio::test]
async fn set_again() {
    let mut config = Sandbox::start().config();
    for (key, values) in [("refresh_margin", ["soon", "30"]), ("allow_http", ["yes", "true"])] {
        for value in values {
            config.set(key, value).unwrap();
        }
    }
    (config.refresh_margin, config.allow_http) = (None, false);
    Client::open(&config, Options::default()).await.unwrap();
}

#[cfg(unix)]
#[test]
fn variable_that_is_not_unicode() {
    if env::var(CHILD).is_ok() {
        return println!("<{}>", Config::from_env().unwrap_err());
    }
    let latin1: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"gr\xfcn");
    let printed = in_child("config::variable_that_is_not_unicode", [("ROSTERING_CLIENT_SECRET".into(), latin1)]);
    assert!(printed.contains("<config_invalid: ROSTERING_CLIENT_SECRET is not valid Unicode>"), "{printed}");
}

/// The sandbox plays a proxy. It gets the token request for another host, and requests to loopback only if the program
/// asks for that.
#[test]
fn proxies() {
    if env::var(CHILD).is_ok() {
        choose_provider();
        let mut config = Config::from_env().unwrap();
        let client = block_on(Client::open(&config, Options::default())).unwrap();
        block_on(client.list_jobs()).unwrap();
        let nobody = Options::default().http(|http| http.proxy(Proxy::all("http://127.0.0.1:1").unwrap()));
        config.auth_url = config.base_url.clone();
        let client = block_on(Client::open(&config, nobody)).unwrap();
        assert_eq!(call_error(block_on(client.get_token())).code, Code::NetworkError);
        return;
    }
    let sandbox = Sandbox::start();
    let mut variables = sandbox.env.clone();
    variables.insert("HTTP_PROXY".into(), sandbox.config().auth_url);
    variables.insert("ROSTERING_AUTH_URL".into(), "http://login.example.com".into());
    variables.insert("ROSTERING_ALLOW_HTTP".into(), "true".into());
    in_child("config::proxies", variables);
    assert_eq!(sandbox.counts(), (1, 1));
}
