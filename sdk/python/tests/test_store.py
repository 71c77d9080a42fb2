from unittest import TestCase, mock

from automatic_rostering import Client, MemoryStore

from .service import CONFIG, Service

QUOTE = "quotes a value"


class Warnings(TestCase):
    def test_store_warning_omits_the_text(self) -> None:
        for error, reason in (
            (ValueError(QUOTE), "ValueError"),
            (OSError("key", QUOTE), "OSError"),
            (OSError(5, QUOTE), "OSError (Input/output error)"),
        ):
            failing = mock.Mock(side_effect=error)
            store = mock.Mock(spec=MemoryStore, get=failing, add=failing, set=failing)
            with (
                self.subTest(error),
                self.assertLogs("automatic_rostering") as logs,
                Client(CONFIG, http=Service().http(), store=store) as client,
            ):
                client.list_jobs()
            want = [f"WARNING:automatic_rostering:store: get failed: {reason}"]
            self.assertEqual(logs.output, want)
