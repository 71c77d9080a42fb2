use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

/// A request of your own to the service.
#[derive(Default)]
pub struct Request {
    /// Appended to the config's `base_url`: `/jobs/7?full=true`.
    pub path: String,
    /// `GET` by default. `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`, `OPTIONS`.
    pub method: Method,
    /// Sent beside `Authorization`, `CUSTOMER_ID` and `USER_ID`, which the plugin sets.
    pub headers: BTreeMap<String, String>,
    /// Not with `GET` and `HEAD`.
    pub body: Option<Body>,
    /// Replace the config's ids.
    pub ids: Ids,
}

impl Request {
    /// The plugin is told only that there is a body.
    pub(crate) fn input(&self) -> Value {
        let mut input = self.ids.input();
        input["path"] = json!(self.path);
        input["method"] = json!(self.method.as_str());
        input["headers"] = json!(self.headers);
        if self.body.is_some() {
            input["body"] = json!(true);
        }
        input
    }
}

/// A request's body: bytes or text, or what [`repeatable`](Self::repeatable) and [`once`](Self::once) take.
pub struct Body(Content);

enum Content {
    Repeatable(Box<dyn Fn() -> reqwest::Body + Send + Sync>),
    Once(Mutex<Option<reqwest::Body>>),
}

impl Body {
    /// Makes the body anew each time it is sent: a second time if the service refused the token.
    pub fn repeatable(make: impl Fn() -> reqwest::Body + Send + Sync + 'static) -> Self {
        Self(Content::Repeatable(Box::new(make)))
    }

    /// A stream that cannot be read again. If the service refuses the token, the call fails with
    /// [`ServiceUnauthorized`](crate::Code::ServiceUnauthorized), `retryable`: call again with a new body.
    pub fn once(body: impl Into<reqwest::Body>) -> Self {
        Self(Content::Once(Mutex::new(Some(body.into()))))
    }

    pub(crate) fn is_repeatable(&self) -> bool {
        matches!(self.0, Content::Repeatable(_))
    }

    /// What to send now.
    pub(crate) fn next(&self) -> Result<reqwest::Body, String> {
        match &self.0 {
            Content::Repeatable(make) => Ok(make()),
            Content::Once(body) => {
                let body = body.lock().unwrap_or_else(PoisonError::into_inner).take();
                body.ok_or_else(|| "the body cannot be sent again".into())
            }
        }
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self::repeatable(move || bytes.clone().into())
    }
}

/// Replace the config's ids in one call.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    /// Sent as `CUSTOMER_ID`.
    pub customer_id: Id,
    /// Sent as `USER_ID`.
    pub user_id: Id,
}

impl Ids {
    pub(crate) fn input(&self) -> Value {
        let mut input = json!({});
        for (name, id) in [("customer_id", &self.customer_id), ("user_id", &self.user_id)] {
            match id {
                Id::Configs => {}
                Id::LeftOut => input[name] = Value::Null,
                Id::Is(id) => input[name] = json!(id),
            }
        }
        input
    }
}

/// An id in one call.
#[derive(Clone, Debug, Default)]
pub enum Id {
    /// As in the config.
    #[default]
    Configs,
    /// The header is left out.
    LeftOut,
    /// This one.
    Is(String),
}
