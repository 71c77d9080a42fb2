"""Calls the Automatic Rostering plugin.

    config = Config(
        environment="stage",
        auth_url="https://login.example.com",
        base_url="https://rostering.example.com",
        client_id="my-client",
        client_secret=os.environ["ROSTERING_CLIENT_SECRET"],
        customer_id="my-customer",
        user_id="my-user",
    )
    with Client("rostering.wasm", config) as client:
        jobs = json.loads(client.list_jobs())

Open one client in each process and share it: the access token lives in its instance of the
plugin, which renews it by itself. What goes wrong is a `RosteringError`.

`HttpxClient` is the same, but sends the plugin's requests itself: many at once, with httpx.
"""

from .base import DEFAULT_TIMEOUT, BaseClient, Ids
from .client import Client
from .config import Config
from .error import Code, RosteringError
from .httpx_client import HttpxClient
from .token import Token

__all__ = [
    "DEFAULT_TIMEOUT",
    "BaseClient",
    "Client",
    "Code",
    "Config",
    "HttpxClient",
    "Ids",
    "RosteringError",
    "Token",
]
