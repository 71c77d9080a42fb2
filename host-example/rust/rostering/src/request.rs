use std::collections::BTreeMap;

use serde::Serialize;

use crate::Ids;

/// A request of your own to the service.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Request {
    /// Goes behind the config's `base_url`: `/jobs/7?full=true`.
    pub path: String,
    /// `GET` if empty. `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`, `OPTIONS`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// Sent beside `Authorization`, `CUSTOMER_ID` and `USER_ID`, which the plugin sets.
    pub headers: BTreeMap<String, String>,
    /// Not with `GET` and `HEAD`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// What replaces the config's ids.
    #[serde(flatten)]
    pub ids: Ids,
}
