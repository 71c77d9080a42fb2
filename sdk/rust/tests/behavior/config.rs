use std::env;
use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

use automatic_rostering::reqwest::header::{HeaderMap, HeaderValue};
use automatic_rostering::{Client, Code, Config, Environment, Error, Options, blocking};

use crate::errors::call_error;
use crate::sandbox::Sandbox;

const CHILD: &str = "TEST_IN_A_CHILD";

/// Runs a test of this program again in a process with these variables and no others of their kind, and returns what it
/// prints.
fn in_child<V: AsRef<OsStr>>(test: &str, variables: &[(&str, V)]) -> String {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]);
    for name in ["NO_PROXY", "no_proxy"] {
        command.env_remove(name);
    }
    command.env(CHILD, "").envs(variables.iter().map(|(name, value)| (name, value)));
    let output = command.output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

#[test]
fn config_from_env() {
    const NAME: &str = "config::config_from_env";
    if env::var(CHILD).is_ok() {
        match Config::from_env() {
            Ok(config) => println!("<{config:?} {}>", config.client_secret.expose()),
            Err(error) => println!("<{error}>"),
        }
        return;
    }
    let mut config = Config::default();
    config.auth_url = "https://login.example.com".into();
    config.base_url = "https://rostering.example.com".into();
    config.client_id = "client".into();
    config.client_secret = "made-up".into();
    config.environment = Some(Environment::Production);
    config.scope = "scope".into();
    config.customer_id = "c".into();
    config.user_id = "u".into();
    config.refresh_margin = Some(0);
    config.allow_http = true;
    let all = [
        ("ROSTERING_AUTH_URL", "https://login.example.com"),
        ("ROSTERING_BASE_URL", "https://rostering.example.com"),
        ("ROSTERING_CLIENT_ID", "client"),
        ("ROSTERING_CLIENT_SECRET", "made-up"),
        ("ROSTERING_ENVIRONMENT", "production"),
        ("ROSTERING_SCOPE", "scope"),
        ("ROSTERING_CUSTOMER_ID", "c"),
        ("ROSTERING_USER_ID", "u"),
        ("ROSTERING_REFRESH_MARGIN", "0"),
        ("ROSTERING_ALLOW_HTTP", "true"),
        ("ROSTERING_SERVICE_HOST", "10.0.0.1"), // one of Kubernetes
    ];
    let printed = in_child(NAME, &all);
    assert!(printed.contains(&format!("<{config:?} made-up>")), "{printed}");
    let empty = all.map(|(name, _)| (name, ""));
    let printed = in_child(NAME, &empty);
    assert!(printed.contains(&format!("<{:?} >", Config::default())), "{printed}");
    for (name, value) in [
        ("ROSTERING_ENVIRONMENT", "test"),
        ("ROSTERING_REFRESH_MARGIN", "-1"),
        ("ROSTERING_REFRESH_MARGIN", "1.5"),
        ("ROSTERING_ALLOW_HTTP", "yes"),
    ] {
        let printed = in_child(NAME, &[(name, value)]);
        assert!(printed.contains(&format!("<config_invalid: {name} must be ")), "{printed}");
    }
    #[cfg(unix)]
    {
        let latin1: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"gr\xfcn");
        let printed = in_child(NAME, &[("ROSTERING_CLIENT_SECRET", latin1)]);
        assert!(printed.contains("<config_invalid: ROSTERING_CLIENT_SECRET is not valid Unicode>"), "{printed}");
    }
}

/// The proxy of the environment does not exist.
#[test]
fn loopback_proxy_of_the_environment() {
    if env::var(CHILD).is_ok() {
        let client = blocking::Client::open(&Config::from_env().unwrap(), Options::default()).unwrap();
        client.list_jobs().unwrap();
        let explicit = Options::default()
            .http(|http| http.proxy(automatic_rostering::reqwest::Proxy::all("http://127.0.0.1:1").unwrap()));
        let client = blocking::Client::open(&Config::from_env().unwrap(), explicit).unwrap();
        assert_eq!(call_error(client.list_jobs()).code, Code::NetworkError);
        return;
    }
    let sandbox = Sandbox::start();
    let proxy = "http://127.0.0.1:1".to_owned();
    let proxies = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    let mut variables: Vec<(&str, String)> = proxies.map(|name| (name, proxy.clone())).into();
    variables.extend(sandbox.env.iter().map(|(name, value)| (name.as_str(), value.clone())));
    in_child("config::loopback_proxy_of_the_environment", &variables);
    assert_eq!(sandbox.counts(), (1, 1));
}

/// The sandbox stands in for a proxy, which gets the request for another host.
#[test]
fn proxy_of_the_environment() {
    if env::var(CHILD).is_ok() {
        let client = blocking::Client::open(&Config::from_env().unwrap(), Options::default()).unwrap();
        client.get_token().unwrap();
        return;
    }
    let sandbox = Sandbox::start();
    let mut variables = sandbox.env.clone();
    variables.insert("HTTP_PROXY".into(), sandbox.config().auth_url);
    variables.insert("ROSTERING_AUTH_URL".into(), "http://login.example.com".into());
    variables.insert("ROSTERING_ALLOW_HTTP".into(), "true".into());
    let variables: Vec<_> = variables.iter().map(|(name, value)| (name.as_str(), value)).collect();
    in_child("config::proxy_of_the_environment", &variables);
    assert_eq!(sandbox.counts(), (1, 0));
}

type Change = fn(&mut Config);

#[tokio::test]
async fn config_at_open() {
    let sandbox = Sandbox::start();
    let refused: [(Change, Code, &str); 4] = [
        (|config| config.auth_url = "nowhere".into(), Code::ConfigInvalid, "auth_url"),
        (|config| config.environment = None, Code::ConfigMissing, "environment"),
        (|config| config.client_secret = "line\n".into(), Code::ConfigInvalid, "client_secret"),
        (|config| config.base_url = "http://example.com".into(), Code::ConfigInvalid, "base_url"),
    ];
    for (change, code, key) in refused {
        let error = call_error(Client::open(&sandbox.config_with(change), Options::default()).await);
        assert_eq!((error.code, error.key.as_deref(), error.retryable), (code, Some(key), false));
        let variable = format!(" (ROSTERING_{})", key.to_uppercase());
        assert!(error.message.contains(key) && error.message.ends_with(&variable), "{error}");
    }
    // Tokens need no base_url.
    let config = sandbox.config_with(|config| config.base_url.clear());
    let client = Client::open(&config, Options::default()).await.unwrap();
    assert_eq!(sandbox.counts(), (0, 0));
    client.get_token().await.unwrap();
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.key.as_deref()), (Code::ConfigMissing, Some("base_url")));

    let config = sandbox.config_with(|config| {
        config.base_url = config.base_url.replace("127.0.0.1", "0.0.0.0"); // not loopback for the plugin
        config.environment = None;
        config.scope = "automatic-rostering-stage".into();
        config.refresh_margin = Some(0);
        config.allow_http = true;
    });
    let client = Client::open(&config, Options::default()).await.unwrap();
    client.get_token().await.unwrap();
    assert_eq!(sandbox.last().form["scope"], config.scope);
    client.list_jobs().await.unwrap();
    assert!(!format!("{config:?} {client:?}").contains(sandbox.secret()));
}

#[tokio::test]
async fn invalid_value_of_an_option() {
    let sandbox = Sandbox::start();
    let zero = [("timeout", Options::default().timeout(Duration::ZERO)), ("max_body", Options::default().max_body(0))];
    for (key, options) in zero {
        let error = call_error(Client::open(&sandbox.config(), options).await);
        assert_eq!((error.code, error.key.as_deref(), error.retryable), (Code::ConfigInvalid, Some(key), false));
    }
    let client = sandbox.client().await.with_timeout(Duration::ZERO);
    let error = call_error(client.list_jobs().await);
    assert_eq!((error.code, error.key.as_deref()), (Code::InvalidInput, Some("timeout")));
    let http = Options::default().http(|http| http.user_agent("line\nbreak"));
    let result = Client::open(&sandbox.config(), http).await;
    let Err(Error::Open(cause)) = result else { panic!("{result:?}") };
    assert!(cause.to_string().starts_with("the HTTP client cannot be made; check Options::http: "), "{cause}");
    assert_eq!(sandbox.counts(), (0, 0));
}

#[tokio::test]
async fn user_agent() {
    let sandbox = Sandbox::start();
    let client = sandbox.client().await;
    client.list_jobs().await.unwrap();
    let own = format!("automatic-rostering/{} (rust)", automatic_rostering::VERSION);
    let sent: Vec<_> = sandbox.requests().iter().map(|request| request.headers["user-agent"].clone()).collect();
    assert_eq!(sent, [own.as_str(); 2]);
    let request = automatic_rostering::Request::new(automatic_rostering::reqwest::Method::GET, "/jobs");
    client.send_request(request.header("User-Agent", "the request's")).await.unwrap();
    assert_eq!(sandbox.last().headers["user-agent"], "the request's");

    let mut headers = HeaderMap::new();
    headers.insert("user-agent", HeaderValue::from_static("the client's"));
    headers.insert("customer_id", HeaderValue::from_static("not the plugin's"));
    let options = Options::default().http(move |http| http.default_headers(headers.clone()));
    sandbox.client_with(options).await.list_jobs().await.unwrap();
    let headers = sandbox.last().headers;
    assert_eq!(
        (headers["user-agent"].as_str(), &headers["customer_id"]),
        ("the client's", &sandbox.config().customer_id)
    );
}
