use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Deserializer};

use crate::Secret;

/// An access token for requests of your own.
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

fn unix_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SystemTime, D::Error> {
    let seconds = u64::deserialize(deserializer)?;
    Ok(UNIX_EPOCH + Duration::from_secs(seconds))
}
