//! The two forms of the client.

use rostering::reqwest::blocking::ClientBuilder;
use rostering::{Config, Error, Http, Rostering};

use crate::service::WASM;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    Direct,
    Driven,
}

impl Form {
    pub fn open(self, config: &Config) -> Rostering {
        self.try_open(WASM, config).expect("the plugin loads")
    }

    pub fn try_open(self, file: &str, config: &Config) -> Result<Rostering, Error> {
        match self {
            Self::Direct => Rostering::open(file, config),
            Self::Driven => Rostering::open_with(file, config, Http::new()?),
        }
    }

    pub fn load(self, wasm: impl Into<Vec<u8>>, config: &Config) -> Result<Rostering, Error> {
        match self {
            Self::Direct => Rostering::load(wasm, config),
            Self::Driven => Rostering::load_with(wasm, config, Http::new()?),
        }
    }
}

/// A client with settings of its own.
pub fn open_with(config: &Config, settings: ClientBuilder) -> Rostering {
    let http = Http::build(settings).expect("the settings are good");
    Rostering::open_with(WASM, config, http).expect("the plugin loads")
}

/// Makes two tests of each function that takes a form.
macro_rules! in_both_forms {
    ($($test:ident),+ $(,)?) => {
        mod direct {
            $(#[test]
            fn $test() {
                super::$test(crate::form::Form::Direct);
            })+
        }
        mod driven {
            $(#[test]
            fn $test() {
                super::$test(crate::form::Form::Driven);
            })+
        }
    };
}
