use crate::errors::call_error;
use crate::service::{SECRET, Service, answer};

#[test]
fn neither_secret_nor_token_shows() {
    let service = Service::start();
    let client = service.client();
    let token = client.get_token().unwrap();
    service.on_jobs(|request| {
        answer(500, format!("{SECRET} {}", request.header("authorization").unwrap_or_default()))
    });
    let error = call_error(client.list_jobs());
    assert_eq!(error.body.as_deref(), Some("[redacted] Bearer [redacted]"));
    let shown = format!("{:?} {client:?} {token:?} {error:?} {error}", service.config());
    for hidden in [SECRET, token.access_token.expose()] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}
