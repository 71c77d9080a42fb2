"""A program of docs/operations.md, whose test is in test_watch.py."""

# snippet
from opentelemetry.metrics import Meter, Observation

from automatic_rostering import Client

COUNTS = "calls", "service_requests", "token_requests", "failed_token_requests", "refused_tokens", "store_failures"


def observe(client: Client, meter: Meter) -> None:  # observe(client, metrics.get_meter("rostering"))
    def add(name: str) -> None:
        meter.create_observable_counter(f"rostering.{name}", [lambda _: [Observation(getattr(client.status(), name))]])

    for name in COUNTS:
        add(name)
    meter.create_observable_counter(
        "rostering.failed_calls",
        [lambda _: [Observation(n, {"error.type": code}) for code, n in client.status().failed_calls.items()]],
    )
    # end of snippet
