"""A client of the Automatic Rostering service.

    config = Config(environment="stage", auth_url=…, base_url=…, client_id=…, client_secret=…, …)
    with Client(config) as client:
        jobs = client.list_jobs().json()

Open one client per process and share it between threads; with asyncio, open one `AsyncClient`.
Failures are a `RosteringError`.
"""

from .async_client import AsyncClient
from .auth import RosteringAuth
from .client import Client
from .config import Config, Environment
from .contract import CONTRACT
from .error import Code, RosteringError
from .store import AsyncStore, MemoryStore, Store
from .token import Token

__version__ = "0.1.0"

__all__ = [
    "CONTRACT",
    "AsyncClient",
    "AsyncStore",
    "Client",
    "Code",
    "Config",
    "Environment",
    "MemoryStore",
    "RosteringAuth",
    "RosteringError",
    "Store",
    "Token",
]
