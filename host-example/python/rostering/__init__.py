"""A client of the Automatic Rostering service.

    config = Config(environment="stage", auth_url=…, base_url=…, client_id=…, client_secret=…, …)
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
