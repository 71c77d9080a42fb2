import copy
import json
import pickle
import unittest

from automatic_rostering import RosteringError
from automatic_rostering.error import decode_error

EVERY_FIELD = {
    "code": "service_error",
    "message": "the service failed",
    "retryable": True,
    "key": "k",
    "status": 503,
    "oauth_error": "o",
    "oauth_error_description": "d",
    "retry_after": 7,
    "body": "b",
    "body_truncated": True,
}


class Errors(unittest.TestCase):
    def test_error_json(self) -> None:
        error = decode_error(json.dumps(EVERY_FIELD | {"of_a_later_version": 1}))
        assert error
        self.assertEqual(json.loads(json.dumps(error.to_dict())), EVERY_FIELD)
        for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301
            self.assertEqual(other.to_dict(), EVERY_FIELD)
            self.assertEqual(str(other), str(error))

    def test_error_text(self) -> None:
        for fields, details in (
            (
                {"status": 400, "oauth_error": "o", "oauth_error_description": "d"},
                "status 400, o: d",
            ),
            ({"status": 503}, "status 503"),
            ({"oauth_error": "o"}, "o"),
            ({"oauth_error_description": "more\n  lines"}, "more lines"),
        ):
            error = RosteringError("service_error", "message", **fields)
            self.assertEqual(str(error), f"service_error: message ({details})")
        self.assertEqual(str(RosteringError("service_error", "message")), "service_error: message")

    def test_unknown_fields_are_omitted(self) -> None:
        error = RosteringError("network_error", "no response", retryable=True)
        want = {"code": "network_error", "message": "no response", "retryable": True}
        self.assertEqual(error.to_dict(), want)
        self.assertFalse(error.body_truncated)

    def test_errors_of_the_sdk(self) -> None:
        for text in ("", "oom", "{}", "[]", "1", '{"code":"x"}', '{"message":"x"}'):
            with self.subTest(text):
                self.assertIsNone(decode_error(text))
