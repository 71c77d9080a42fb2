from typing import Any

from .case import InLoop, ServiceCase


class Views(ServiceCase):
    def ids(self) -> list[tuple[str | None, str | None]]:
        """Return the ids of the requests to the service."""
        sent = [request["headers"] for request in self.sandbox.job_requests()]
        return [(headers.get("customer_id"), headers.get("user_id")) for headers in sent]

    def test_customer_view(self) -> None:
        self.sandbox.fault("jobs", status=200)
        client: Any = self.open(config={"customer_id": "c", "user_id": "u"})
        acme = client.for_customer("acme")
        acme.list_jobs()
        acme.send_request("/jobs/7")
        acme.for_user("eve").list_jobs()
        acme.for_user("eve").for_customer(None).list_jobs()
        acme.list_jobs(customer_id="other", user_id=None)
        client.list_jobs()
        want = [("acme", "u")] * 2 + [("acme", "eve"), (None, "eve"), ("other", None), ("c", "u")]
        self.assertEqual(self.ids(), want)
        self.assertEqual(acme.get_token(), client.get_token())
        self.want_requests(1, 6)

    def test_customer_view_of_nobody(self) -> None:
        client = self.open()
        for name, view in (
            ("customer_id", client.for_customer("")),
            ("user_id", client.for_user("")),
        ):
            self.assertEqual(self.want_error("invalid_input", view.list_jobs).key, name)
        self.want_requests(0, 0)

    def test_customer_view_ends_with_its_client(self) -> None:
        client = self.open()
        client.for_customer("acme").close()
        with self.assertRaisesRegex(RuntimeError, "^the client is closed; open a new one$"):
            client.list_jobs()


class AsyncViews(Views):
    form = InLoop
