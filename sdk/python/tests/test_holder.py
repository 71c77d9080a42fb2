"""Flows that a test carries out, step by step."""

import os
import threading
from collections.abc import Coroutine
from contextlib import nullcontext
from types import SimpleNamespace, coroutine
from typing import Any
from unittest import TestCase, mock

import httpx

from automatic_rostering import RosteringError, Token
from automatic_rostering.holder import Flow, Holder
from automatic_rostering.plugin import Plugin, bundled

from .service import CONFIG

Work = Coroutine[Any, Any, Token]


@coroutine
def suspend(*what: Any) -> Any:
    """Suspend a coroutine, until the test sends it a result."""
    return (yield what)


class Held(TestCase):
    def setUp(self) -> None:
        self.now = 1_800_000_000
        self.flows: list[Flow] = []
        plugin = Plugin(bundled(), CONFIG, None)
        self.addCleanup(plugin.close)
        io: Any = SimpleNamespace(event=threading.Event, wait=suspend, start=self.start)
        io.timeout, io.http, io.exchange = nullcontext, httpx.Client(), suspend
        self.addCleanup(io.http.close)
        self.holder = Holder(plugin, lambda: self.now, io, None)

    def start(self, run: Any) -> mock.Mock:
        self.flows.append(run.__self__)
        return mock.Mock()

    def request(self, flow: Flow) -> Any:
        """Return a flow that waits for its first response, which must be to a token request."""
        running = flow.run()
        request, _ = running.send(None)
        self.assertEqual(request.url.path, "/connect/token")
        return running

    def respond(self, steps: Any, token: str | None) -> None:
        fields = {"access_token": token, "token_type": "Bearer", "expires_in": 3600}
        with self.assertRaises(StopIteration):
            response = httpx.Response(200, json=fields) if token else httpx.Response(503)
            steps.send((response, response.content))

    def want_wait(self, work: Work) -> Any:
        """Return the event that work waits for."""
        event, _ = work.send(None)
        return event

    def want_token(self, work: Work, token: str) -> None:
        with self.assertRaises(StopIteration) as ended:
            work.send(None)
        self.assertEqual(ended.exception.value.access_token, token)

    def get(self, token: str) -> None:
        """Have the holder get a token."""
        work = self.holder.token()
        self.want_wait(work)
        self.respond(self.request(self.flows[-1]), token)
        self.want_token(work, token)

    def test_calls_share_a_flow_and_then_need_none(self) -> None:
        calls = [self.holder.token() for _ in range(3)]
        waits = [self.want_wait(call) for call in calls]
        self.respond(self.request(self.flows[0]), "a")
        for call, wait in zip(calls, waits, strict=True):
            self.assertTrue(wait.is_set())
            self.want_token(call, "a")
        self.want_token(self.holder.token(), "a")
        self.assertEqual(len(self.flows), 1)

    def test_step_that_never_ends(self) -> None:
        first = self.holder.token()
        wait = self.want_wait(first)
        frozen = self.request(self.flows[0])
        self.now += 31
        second = self.holder.token()
        self.want_wait(second)
        self.assertTrue(wait.is_set())
        self.want_wait(first)
        self.assertEqual(len(self.flows), 2)
        self.respond(frozen, "late")  # is not resumed
        self.respond(self.request(self.flows[1]), "b")
        self.want_token(first, "b")
        self.want_token(second, "b")

    def test_refused_token_while_it_is_renewed(self) -> None:
        self.get("a")
        self.now += 3570
        self.want_token_of_renewal("a")
        self.holder.refuse("a", first=True)
        call = self.holder.token("a")
        self.want_wait(call)
        self.assertEqual(len(self.flows), 2)
        self.respond(self.renewal, "a")  # the same again: the flow ends with the refused token
        self.want_wait(call)
        self.assertEqual(self.flows[2].fields["refused"], "a")
        self.respond(self.request(self.flows[2]), "b")
        self.want_token(call, "b")

    def want_token_of_renewal(self, token: str) -> None:
        call = self.holder.token()
        self.want_wait(call)
        self.renewal = self.request(self.flows[-1])
        self.want_token(call, token)

    def test_error_that_belongs_to_another_call(self) -> None:
        self.get("a")
        self.holder.refuse("a", first=True)
        refused, other = self.holder.token("a"), self.holder.token()
        self.want_wait(refused)
        self.want_wait(other)
        self.respond(self.request(self.flows[1]), None)
        with self.assertRaisesRegex(RosteringError, "token_endpoint_unavailable"):
            refused.send(None)
        self.want_wait(other)
        self.assertEqual(len(self.flows), 3)

    def test_force_waits_for_its_own_flow(self) -> None:
        other, forced = self.holder.token(), self.holder.get(None, force=True)
        self.want_wait(other)
        self.want_wait(forced)
        self.respond(self.request(self.flows[0]), "a")
        self.want_wait(forced)
        self.assertEqual([flow.force for flow in self.flows], [False, True])
        self.respond(self.request(self.flows[1]), "b")
        self.want_token(other, "a")
        self.want_token(forced, "b")

    def test_set_token_abandons_a_flow(self) -> None:
        call = self.holder.token()
        wait = self.want_wait(call)
        steps = self.request(self.flows[0])
        self.holder.replace()
        self.flows[0].work.cancel.assert_called_once()
        self.assertTrue(wait.is_set())
        self.respond(steps, "late")
        self.want_wait(call)
        self.assertEqual(len(self.flows), 2)

    def test_flow_that_is_dropped(self) -> None:
        call = self.holder.token()
        self.want_wait(call)
        self.request(self.flows[0]).close()
        with self.assertRaisesRegex(RuntimeError, "ended by your own code"):
            call.send(None)

    def test_lambda_waits_for_a_renewal(self) -> None:
        with mock.patch.dict(os.environ, AWS_LAMBDA_FUNCTION_NAME="f"):
            self.setUp()
        self.get("a")
        self.now += 3570
        call = self.holder.settled(self.holder.token())
        self.want_wait(call)
        renewal = self.request(self.flows[-1])
        self.want_wait(call)
        self.respond(renewal, "b")
        self.want_token(call, "a")
