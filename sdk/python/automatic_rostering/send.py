"""The loop that sends a request with a token, and again with another one after a 401."""

import json
import logging
from http import HTTPStatus
from typing import Any, cast

import httpx

from .clock import monotonic
from .error import RosteringError, decode_error
from .exchange import because, exchange
from .holder import Holder
from .request import AnyBody, is_repeatable
from .step import Outcome, Request, result_of

#: How often a request is sent. The first other token may come from a store, and have been revoked, too.
_MOST_SENDS = 3
_MOST_REQUESTS = 256
_MOST_INPUT = 512 << 10  # bytes; valid ones are smaller


class Sends:
    """The tokens with which a request is sent, one after the other."""

    def __init__(self, holder: Holder, *, repeatable: bool) -> None:
        self._holder, self._repeatable = holder, repeatable
        self.tokens: list[str] = []

    async def next(self) -> None:
        """Get another token to send the request with, the last of `tokens`."""
        token = await self._holder.token(self.tokens[-1] if self.tokens else None)
        if self.tokens:
            line = "the service refused the token; the request is retried with another one"
            self._holder.plugin.log(logging.WARNING, line)
        self.tokens.append(token.access_token)
        self._holder.count_request()

    def responded(self, status: int) -> bool:
        """Take the status of the response. Return whether to send the request again."""
        if status != HTTPStatus.UNAUTHORIZED:
            self._holder.accept(self.tokens[-1])
            return False
        first = self._repeatable and len(self.tokens) == 1
        self._holder.refuse(self.tokens[-1], first=first)
        return self._repeatable and len(self.tokens) < _MOST_SENDS


class Service:
    """Makes the calls of the service."""

    def __init__(self, holder: Holder, max_body: int) -> None:
        self._plugin, self._holder, self._max_body = holder.plugin, holder, max_body
        #: By their input, for which the plugin always builds the same.
        self._requests: dict[str, Request] = {}

    async def call(self, fields: dict[str, object], body: AnyBody) -> httpx.Response:
        """Send a request, and return the response if it is a result."""
        request, name = self._request(fields), {"path": fields.get("path", "/jobs")}
        sends = Sends(self._holder, repeatable=is_repeatable(body))
        response: Any = None
        goes_on = True
        refusal: RosteringError | None = None
        try:
            while goes_on:
                await sends.next()
                io, limit, token = self._holder.io, self._max_body + 1, sends.tokens[-1]
                began = monotonic()
                outcome = await exchange(io, request, body, limit, token=token)
                name |= {"method": request.method, "milliseconds": int(1e3 * (monotonic() - began))}
                if not isinstance(outcome, httpx.Response):
                    raise self._explain(outcome, sends.tokens, name)
                response = outcome
                goes_on = sends.responded(response.status_code)
        except RosteringError as error:
            if response is None or error.code != "service_unauthorized":
                raise
            refusal = error
        if response.is_success or response.status_code == HTTPStatus.NOT_MODIFIED:
            if len(response.content) <= self._max_body:
                return cast(httpx.Response, response)
            option = f"max_body ({self._max_body} bytes)"
            message = f"the response is larger than {option}: raise it or request less"
            raise RosteringError("network_error", message, status=response.status_code, reason="protocol")
        explained = self._explain(response, sends.tokens, name)
        if refusal:  # it decides what comes next
            explained.retryable, explained.retry_after = refusal.retryable, refusal.retry_after
        elif response.status_code == HTTPStatus.UNAUTHORIZED and not is_repeatable(body):
            explained.message += " (its body can be read only once)"
        raise explained

    def _request(self, fields: dict[str, object]) -> Request:
        key = json.dumps(fields)
        request = self._requests.get(key)
        if not request:
            if len(key) > _MOST_INPUT:
                message = "the path, the headers and the ids are too long; shorten them"
                raise RosteringError("invalid_input", message)
            request = Request(**json.loads(self._plugin.call("request", key.encode())))
            if len(self._requests) >= _MOST_REQUESTS:
                self._requests.clear()
            self._requests[key] = request
        return request

    def _explain(self, outcome: Outcome, tokens: list[str], name: dict[str, object]) -> RosteringError:
        fields = {**result_of(outcome), **name, "tokens": tokens, "now": self._holder.now()}
        return because(decode_error(self._plugin.call("explain", json.dumps(fields).encode())), outcome)
