use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Error;

/// An access token, for your own requests or another client.
///
/// It serializes as the plugin's token object, which has the access token in it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Token {
    /// The token itself, for the header `Authorization: Bearer …`.
    #[serde(serialize_with = "expose")]
    pub access_token: Secret,
    /// Its type, `Bearer`.
    pub token_type: String,
    /// The time at which it expires.
    #[serde(deserialize_with = "from_unix", serialize_with = "to_unix")]
    pub expires_at: SystemTime,
    /// Names whose token it is. Not a secret.
    pub cache_key: String,
}

impl Token {
    /// Reads a token object. Unlike serde's, the error does not show the string.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        serde_json::from_str(json).map_err(|_| Error::not_a_token())
    }
}

pub fn unix(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn expose<S: Serializer>(secret: &Secret, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(secret.expose())
}

fn to_unix<S: Serializer>(time: &SystemTime, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u64(unix(*time))
}

fn from_unix<'de, D: Deserializer<'de>>(from: D) -> Result<SystemTime, D::Error> {
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(u64::deserialize(from)?));
    time.ok_or_else(|| D::Error::custom("expires_at is out of range"))
}

/// A string that is hidden when printed.
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub(crate) String);

impl Secret {
    /// Returns the string itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}
