from unittest import TestCase

from automatic_rostering.kept import KeptSteps
from automatic_rostering.step import Step

STEP = Step("done")
KEY = ("list_jobs", "{}")


class Kept(TestCase):
    def test_step_of_a_plugin_that_changed_meanwhile_is_not_kept(self) -> None:
        kept = KeptSteps()
        generation = kept.generation
        kept.drop()
        kept.keep(KEY, STEP, 10, generation)
        self.assertIsNone(kept.find(KEY, 1))
        kept.keep(KEY, STEP, 10, kept.generation)
        self.assertIs(kept.find(KEY, 9), STEP)
        self.assertIsNone(kept.find(KEY, 10))

    def test_only_so_many_are_kept(self) -> None:
        kept = KeptSteps()
        for n in range(1000):
            key = ("send_request", str(n))
            kept.keep(key, STEP, 10, kept.generation)
            self.assertIs(kept.find(key, 1), STEP)
            self.assertLessEqual(len(kept._steps), 256)
