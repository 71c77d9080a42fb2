"""First steps of calls, kept for calls that are equal."""

import threading

from .step import Step

_LIMIT = 256
#: The call, and its input without the time.
Key = tuple[str, str]


class KeptSteps:
    """Keeps first steps, so that a call with a valid token needs no plugin.

    Until a time that it names, the plugin begins an equal call with the same step, unless it was
    used for anything but beginning calls: that drops all steps.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._steps: dict[Key, tuple[Step, float]] = {}
        self._latest = 0.0  # the time of a call
        #: Changes when the steps are dropped.
        self.generation = 0

    def find(self, key: Key, now: float) -> Step | None:
        """Return the step that begins a call, if there is one. A clock set back drops all."""
        with self._lock:
            if now < self._latest:
                self._drop()
            self._latest = now
            step, until = self._steps.get(key, (None, 0.0))
            return step if now < until else None

    def keep(self, key: Key, step: Step, until: float, generation: int) -> None:
        """Keep a step, unless the plugin may have changed since this generation."""
        with self._lock:
            if generation == self.generation:
                if len(self._steps) >= _LIMIT:
                    self._steps.clear()
                self._steps[key] = (step, until)

    def drop(self) -> None:
        """Drop all steps: the plugin is about to change."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        self.generation += 1
        self._steps.clear()
