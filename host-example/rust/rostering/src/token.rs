use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::{Error, Secret};

/// An access token, for requests of your own or for another client.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Token {
    /// Goes into the header `Authorization: Bearer …`.
    pub access_token: Secret,
    /// `Bearer`.
    pub token_type: String,
    /// When it ends.
    #[serde(deserialize_with = "unix_seconds")]
    pub expires_at: SystemTime,
    /// Names the token URL, the client and the scope that the token belongs to. No secret.
    pub cache_key: String,
}

impl Token {
    /// Gives the whole token, to store it where other processes find it: keep it as a secret.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.fields().to_string()
    }

    pub(crate) fn fields(&self) -> Value {
        let expires_at = self.expires_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        json!({
            "access_token": self.access_token.expose(),
            "token_type": self.token_type,
            "expires_at": expires_at.as_secs(),
            "cache_key": self.cache_key,
        })
    }

    /// Reads what [`to_json`](Self::to_json) gave.
    ///
    /// # Errors
    /// [`Error::NoToken`], which does not show the text.
    pub fn from_json(text: impl AsRef<[u8]>) -> Result<Self, Error> {
        serde_json::from_slice(text.as_ref()).map_err(|_| Error::NoToken)
    }
}

fn unix_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
    let seconds = Duration::from_secs(u64::deserialize(deserializer)?);
    UNIX_EPOCH.checked_add(seconds).ok_or_else(|| D::Error::custom("beyond the system's time"))
}
