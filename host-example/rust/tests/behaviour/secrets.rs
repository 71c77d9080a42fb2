use crate::errors::call_error;
use crate::form::Form;
use crate::service::{SECRET, Service, answer};

in_both_forms!(neither_secret_nor_token_shows);

fn neither_secret_nor_token_shows(form: Form) {
    let service = Service::start();
    let client = service.client(form);
    let token = client.get_token().unwrap();
    service.on_jobs(|request| {
        answer(500, format!("{SECRET} {}", request.header("authorization").unwrap_or_default()))
    });
    let error = call_error(client.list_jobs());
    let body = (form == Form::Direct).then_some("[redacted] Bearer [redacted]");
    assert_eq!(error.body.as_deref(), body);
    let shown = format!("{:?} {client:?} {token:?} {error:?} {error}", service.config());
    for hidden in [SECRET, token.access_token.expose()] {
        assert!(!shown.contains(hidden), "{shown}");
    }
}
