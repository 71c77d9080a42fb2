from typing import Any
from unittest import TestCase

import httpx
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import CollectorRegistry, generate_latest

from automatic_rostering import Client, RosteringError

from .service import CONFIG, Service
from .watch_opentelemetry import observe
from .watch_prometheus import RosteringCollector


class Watching(TestCase):
    """A thousand calls make one token request."""

    def test_prometheus(self) -> None:
        service, registry = Service(), CollectorRegistry()
        with Client(CONFIG, http=service.http()) as client:
            registry.register(RosteringCollector(client))
            self.assertIn("rostering_calls_total 0.0", generate_latest(registry).decode())
            for _ in range(1000):
                client.list_jobs()
            service.jobs = lambda: httpx.Response(503)
            with self.assertRaises(RosteringError):
                client.for_customer("another").list_jobs()
            lines = generate_latest(registry).decode().splitlines()
            for line in (
                "rostering_calls_total 1001.0",
                'rostering_failed_calls_total{code="service_error"} 1.0',
                "rostering_service_requests_total 1001.0",
                "rostering_token_requests_total 1.0",
                "rostering_failed_token_requests_total 0.0",
            ):
                self.assertIn(line, lines)
            (expires_at,) = (
                line.split()[1] for line in lines if line.startswith("rostering_token_expires_at_seconds ")
            )
            self.assertEqual(float(expires_at), client.get_token().expires_at.timestamp())

    def test_opentelemetry(self) -> None:
        service, reader = Service(), InMemoryMetricReader()
        provider = MeterProvider([reader])
        self.addCleanup(provider.shutdown)
        with Client(CONFIG, http=service.http()) as client:
            observe(client, provider.get_meter("rostering"))
            for _ in range(1000):
                client.list_jobs()
            service.jobs = lambda: httpx.Response(503)
            with self.assertRaises(RosteringError):
                client.list_jobs()
            read: Any = reader.get_metrics_data()
        metrics = read.resource_metrics[0].scope_metrics[0].metrics
        points = {metric.name: metric.data.data_points[0] for metric in metrics}
        for name, value in (
            ("calls", 1001),
            ("failed_calls", 1),
            ("service_requests", 1001),
            ("token_requests", 1),
            ("failed_token_requests", 0),
            ("refused_tokens", 0),
            ("store_failures", 0),
        ):
            self.assertEqual(points[f"rostering.{name}"].value, value)
        self.assertEqual(points["rostering.failed_calls"].attributes, {"error.type": "service_error"})
