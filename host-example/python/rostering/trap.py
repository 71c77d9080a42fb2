"""What libextism says when a call ended without an answer of the plugin.

A failed request (no connection, no such host, no answer in time, an answer that is too large)
ends the call, and the plugin never learns of it. It is unharmed: the next call goes on.
"""

from .error import RosteringError

# libextism 1.41 puts the reason behind this text, but gives the C API, and so Python, the text
# alone. A fault of the plugin itself could not be told from a failed request.
_TRAPPED = "error while executing at wasm backtrace"
_TIMED_OUT = "timeout"


def decode_trap(text: str, took: float, timeout: float | None) -> RosteringError | None:
    """Make an error of a failed request, of which `took` seconds went by. None if it was none."""
    if text != _TIMED_OUT and not text.startswith(_TRAPPED):
        return None
    return RosteringError("network_error", _message(text, took, timeout), retryable=True)


def _message(text: str, took: float, timeout: float | None) -> str:
    # Two clocks run in libextism. If the HTTP client's is first, the text is the other one.
    if timeout is not None and (text == _TIMED_OUT or took >= timeout):
        return f"no answer within {timeout:g} s"
    return (
        "a request got no answer; check the addresses and the network, or see the reason in "
        "libextism's log: extism.set_log_file('stderr', 'error')"
    )
