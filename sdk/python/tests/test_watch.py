from typing import Any
from unittest import TestCase

import httpx
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import CollectorRegistry

from automatic_rostering import Client, RosteringError

from .service import CONFIG, Service
from .watch_latency import SECONDS, timed
from .watch_opentelemetry import observe
from .watch_prometheus import RosteringCollector


class Watching(TestCase):
    """A thousand calls make one token request."""

    def test_prometheus(self) -> None:
        service, registry = Service(), CollectorRegistry()
        with Client(CONFIG, http=service.http()) as client:
            registry.register(RosteringCollector(client))
            for _ in range(1000):
                client.list_jobs()
            service.jobs = lambda: httpx.Response(503)
            with self.assertRaises(RosteringError):
                client.list_jobs()
            for name, value in ("calls", 1001), ("token_requests", 1):
                self.assertEqual(registry.get_sample_value(f"rostering_{name}_total"), value)
            expires_at = client.get_token().expires_at.timestamp()
            self.assertEqual(registry.get_sample_value("rostering_token_expires_at_seconds"), expires_at)
            failed = registry.get_sample_value("rostering_failed_calls_total", {"code": "service_error"})
            self.assertEqual(failed, 1.0)

    def test_latency(self) -> None:
        service = Service()
        with Client(CONFIG, http=service.http()) as client:
            timed(client.list_jobs)
            service.jobs = lambda: httpx.Response(503)
            with self.assertRaises(RosteringError):
                timed(client.list_jobs)
        (metric,) = SECONDS.collect()
        counts = {s.labels["outcome"]: s.value for s in metric.samples if s.name.endswith("_count")}
        self.assertEqual(counts, {"200": 1, "service_error": 1})

    def test_opentelemetry(self) -> None:
        service, reader = Service(), InMemoryMetricReader()
        provider = MeterProvider([reader])
        self.addCleanup(provider.shutdown)
        with Client(CONFIG, http=service.http()) as client:
            observe(client, provider.get_meter("rostering"))
            service.jobs = lambda: httpx.Response(503)
            with self.assertRaises(RosteringError):
                client.list_jobs()
            read: Any = reader.get_metrics_data()
        metrics = read.resource_metrics[0].scope_metrics[0].metrics
        points = {metric.name: metric.data.data_points[0] for metric in metrics}
        for name, value in ("calls", 1), ("failed_calls", 1), ("token_requests", 1), ("store_failures", 0):
            self.assertEqual(points[f"rostering.{name}"].value, value)
        self.assertEqual(points["rostering.failed_calls"].attributes, {"error.type": "service_error"})
