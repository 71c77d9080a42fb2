use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::iter;

use reqwest::blocking::{Client, ClientBuilder, RequestBuilder};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use rustls::crypto::ring;

use crate::deadline::Deadline;
use crate::step::{Answer, Outgoing};
use crate::{Cause, Error};

/// Sends the requests of [`Rostering::open_with`](crate::Rostering::open_with), with reqwest.
///
/// It keeps connections open and uses them again; so do its clones, with the same ones.
#[derive(Clone, Debug)]
pub struct Http(Client);

impl Http {
    /// Trusts the system's certificates, and goes through the proxies of the environment.
    ///
    /// # Errors
    /// [`Error::Http`], such as where the system has no certificates.
    pub fn new() -> Result<Self, Error> {
        Self::build(ClientBuilder::new())
    }

    /// Takes settings of your own, such as proxies, certificates and `connect_timeout`. It follows
    /// no redirect in any case, and `timeout` is that of [`Config`](crate::Config).
    ///
    /// # Errors
    /// [`Error::Http`].
    pub fn build(builder: ClientBuilder) -> Result<Self, Error> {
        // reqwest would panic without a default for the whole process. If there is one, that stays.
        let _ = ring::default_provider().install_default();
        let client = builder.redirect(Policy::none()).timeout(None).build();
        client.map(Self).map_err(|error| Error::Http(error.into()))
    }

    /// Sends a request. Gives what `resume` is told of it, and the answer's body.
    pub(crate) fn send(&self, request: Outgoing, deadline: Deadline) -> (Answer, Vec<u8>) {
        self.exchange(request, deadline).unwrap_or_else(|error| {
            (Answer::Failed { failed: reason(&*error, deadline) }, Vec::new())
        })
    }

    fn exchange(&self, request: Outgoing, deadline: Deadline) -> Result<(Answer, Vec<u8>), Cause> {
        let asks_for_token = request.asks_for_token();
        let outgoing = self.outgoing(request, deadline)?;
        let response = outgoing.send().map_err(reqwest::Error::without_url)?;
        let (status, headers) = (response.status().as_u16(), texts(response.headers()));
        let body = Vec::from(response.bytes().map_err(reqwest::Error::without_url)?);
        let text = asks_for_token.then(|| String::from_utf8_lossy(&body).into_owned());
        Ok((Answer::Came { status, headers, body: text }, body))
    }

    fn outgoing(&self, request: Outgoing, deadline: Deadline) -> Result<RequestBuilder, Cause> {
        let mut outgoing = self.0.request(request.method.parse()?, request.url);
        for (name, value) in request.headers {
            outgoing = outgoing.header(name, value);
        }
        if let Some(body) = request.body {
            outgoing = outgoing.body(body);
        }
        if let Some(left) = deadline.left() {
            outgoing = outgoing.timeout(left); // up to the end of the answer
        }
        Ok(outgoing)
    }
}

fn texts(headers: &HeaderMap) -> BTreeMap<String, Vec<String>> {
    let mut texts = BTreeMap::<_, Vec<_>>::new();
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        texts.entry(name.to_string()).or_default().push(value);
    }
    texts
}

/// Why a request got no answer: the error with those behind it, of which the last one tells most.
fn reason(error: &(dyn StdError + 'static), deadline: Deadline) -> String {
    if deadline.is_over() {
        return deadline.to_string();
    }
    let all = iter::successors(Some(error), |&error| error.source());
    all.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
