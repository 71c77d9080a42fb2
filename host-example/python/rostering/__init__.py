"""Client for the Automatic Rostering service; the plugin holds the token and every rule about it.

    config = Config(
        environment="stage",
        auth_url="https://login.example.com",
        base_url="https://rostering.example.com",
        client_id="my-client",
        client_secret=os.environ["ROSTERING_CLIENT_SECRET"],
        customer_id="my-customer",
        user_id="my-user",
    )
    with Client(config) as client:
        jobs = client.list_jobs().json()

Open one client per process and share it between threads; with asyncio, open one `AsyncClient`.
Failures are a `RosteringError`.
"""

from .async_client import AsyncClient
from .client import Client
from .config import Config, Environment
from .error import Code, RosteringError
from .store import AsyncStore, MemoryStore, Store
from .token import Token

__all__ = [
    "AsyncClient",
    "AsyncStore",
    "Client",
    "Code",
    "Config",
    "Environment",
    "MemoryStore",
    "RosteringError",
    "Store",
    "Token",
]
