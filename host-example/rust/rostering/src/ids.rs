use serde::Serialize;

/// What replaces the config's ids in one call.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Ids {
    /// That of the header `CUSTOMER_ID`.
    #[serde(skip_serializing_if = "Id::is_configs")]
    pub customer_id: Id,
    /// That of the header `USER_ID`.
    #[serde(skip_serializing_if = "Id::is_configs")]
    pub user_id: Id,
}

/// An id in one call.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(untagged)]
pub enum Id {
    /// As the config says.
    #[default]
    Configs,
    /// The header is left out.
    LeftOut,
    /// This one.
    Is(String),
}

impl Id {
    fn is_configs(&self) -> bool {
        matches!(self, Self::Configs)
    }
}

impl From<&str> for Id {
    fn from(id: &str) -> Self {
        Self::Is(id.into())
    }
}
