"""A program of docs/operations.md, whose test is in test_watch.py."""

# snippet
from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from automatic_rostering import Client

COUNTS = "calls", "service_requests", "token_requests", "failed_token_requests", "refused_tokens", "store_failures"


class RosteringCollector(Collector):  # REGISTRY.register(RosteringCollector(client))
    def __init__(self, client: Client) -> None:
        self._client = client

    def collect(self) -> Iterator[Metric]:
        status = self._client.status()
        for name in COUNTS:
            yield CounterMetricFamily(f"rostering_{name}", name.replace("_", " "), getattr(status, name))
        failed = CounterMetricFamily("rostering_failed_calls", "failed calls", labels=["code"])
        for code, number in status.failed_calls.items():
            failed.add_metric([code], number)
        yield failed
        expires_at = status.token_expires_at.timestamp() if status.token_expires_at else 0
        yield GaugeMetricFamily("rostering_token_expires_at_seconds", "Unix time, 0 without a token", expires_at)
        # end of snippet
