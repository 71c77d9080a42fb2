import copy
import json
import pickle
import unittest

from automatic_rostering import RosteringError
from automatic_rostering.error import decode_error
from automatic_rostering.extism_host import Trap

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
        error = decode_error(json.dumps(EVERY_FIELD | {"of_a_later_version": 1}).encode())
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

    def test_variable_of_a_config_error(self) -> None:
        for code, key, want in (
            ("config_missing", "auth_url", "message (ROSTERING_AUTH_URL)"),
            ("config_invalid", "scope", "message (ROSTERING_SCOPE)"),
            ("invalid_input", "customer_id", "message"),
        ):
            fields = {"code": code, "message": "message", "key": key}
            self.assertEqual(decode_error(json.dumps(fields).encode()).message, want)

    def test_what_is_not_an_error(self) -> None:
        for data in (b"", b"oom", b"{}", b"[]", b"1", b'{"code":"x"}', b'{"message":"x"}', b"\xff"):
            with self.subTest(data), self.assertRaises(Trap):
                decode_error(data)
