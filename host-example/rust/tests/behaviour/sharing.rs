//! Tokens that go from one client to another.

use std::time::{Duration, SystemTime};

use rostering::{Code, Config, Error, Token};
use serde_json::{Value, json};

use crate::errors::call_error;
use crate::form::Form;
use crate::service::{JOBS, Service, answer};

in_both_forms!(token_of_another_client, token_that_does_not_fit, forgotten_token, forgotten_wait);

fn token_of_another_client(form: Form) {
    for other in [Form::Direct, Form::Driven] {
        let service = Service::start();
        let stored = service.client(other).get_token().unwrap().to_json();
        let client = service.client(form);
        client.set_token(&Token::from_json(&stored).unwrap()).unwrap();
        assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
        assert_eq!(client.get_token().unwrap().to_json(), stored);
        assert_eq!(service.count(), (1, 1), "{other:?}");
    }
}

fn token_that_does_not_fit(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    let token = client.get_token().unwrap();
    let mut expired = token.clone();
    expired.expires_at = SystemTime::now() - Duration::from_secs(1);
    let others = form.open(&Config { client_id: "other".into(), ..service.config() });
    for wrong in [expired, others.get_token().unwrap()] {
        let error = call_error(client.set_token(&wrong));
        assert_eq!((error.code, error.retryable), (Code::TokenMismatch, false));
        assert!(!format!("{error:?}").contains(wrong.access_token.expose()));
    }
    assert_eq!(client.get_token().unwrap().to_json(), token.to_json());
}

fn forgotten_token(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    client.clear_token().unwrap();
    client.list_jobs().unwrap();
    client.clear_token().unwrap();
    assert_eq!(client.get_token().unwrap().access_token.expose(), "token-2");
}

fn forgotten_wait(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    service.on_token(|_| answer(500, ""));
    assert_eq!(call_error(client.list_jobs()).code, Code::TokenEndpointUnavailable);
    service.mend();
    client.clear_token().unwrap();
    assert_eq!(client.list_jobs().unwrap(), JOBS.as_bytes());
}

#[test]
fn what_is_no_token() {
    let good =
        json!({ "access_token": "a", "token_type": "Bearer", "expires_at": 1, "cache_key": "k" });
    let token = Token::from_json(good.to_string()).unwrap();
    assert_eq!(token.to_json().parse::<Value>().unwrap(), good);
    let with = |name: &str, value: Value| {
        let mut other = good.clone();
        other[name] = value;
        other.to_string()
    };
    let cases = [
        String::new(),
        "a-token".into(),
        "[]".into(),
        "{}".into(),
        with("access_token", json!(1)),
        with("expires_at", json!("a-token")),
        with("expires_at", json!(-1)),
        with("expires_at", json!(u64::MAX)),
    ];
    for text in cases {
        let error = Token::from_json(&text).expect_err(&text);
        assert!(matches!(error, Error::NoToken), "{text}: {error:?}");
        assert_eq!(error.to_string(), "this is no token object");
    }
}
