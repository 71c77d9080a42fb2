//! Makes the lines of the clients' logs events. Those of a call are in its span, which has the name of the client.

use std::fmt;

use serde_json::json;
use tracing::{Event, Level};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::{DefaultFields as Fields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatFields, FormattedFields, layer};
use tracing_subscriber::{Registry, prelude::*};

type Format = fn(&FmtContext<'_, Registry, Fields>, Writer<'_>, &Event<'_>) -> fmt::Result;

pub fn start() {
    let ours =
        Targets::new().with_target("automatic_rostering", Level::DEBUG).with_target("rostering_adapter", Level::INFO);
    tracing_subscriber::registry()
        .with(layer().with_ansi(false).event_format(format as Format).with_filter(ours))
        .init();
}

fn format(context: &FmtContext<'_, Registry, Fields>, mut to: Writer<'_>, event: &Event<'_>) -> fmt::Result {
    let (mut line, mut client) = (String::new(), None);
    context.format_fields(Writer::new(&mut line), event)?;
    if let Some(span) = context.lookup_current() {
        client = span.extensions().get::<FormattedFields<Fields>>().map(ToString::to_string);
    }
    let level = event.metadata().level().as_str().to_lowercase();
    writeln!(to, "{}", json!({ "event": "log", "client": client, "level": level, "line": line }))
}
