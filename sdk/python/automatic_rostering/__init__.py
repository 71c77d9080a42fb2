"""A client of the Automatic Rostering service.

    with Client(Config.from_env()) as client:
        jobs = client.list_jobs().json()

Open one `Client` per process and share it between threads; with asyncio, open one `AsyncClient`. A call that fails
raises a `RosteringError`.
"""

__version__ = "0.1.0"

from .auth import RosteringAuth
from .base import BaseClient
from .client import AsyncClient, Client
from .config import Config, Environment
from .error import Code, FailedRequest, Problem, RosteringError
from .plugin import CONTRACT
from .retry import async_retry, retry
from .status import Backoff, Status
from .step import Reason
from .store import AsyncStore, FileStore, MemoryStore, Store
from .token import Token

# fmt: off
__all__ = [
    "CONTRACT", "AsyncClient", "AsyncStore", "Backoff", "BaseClient", "Client", "Code",
    "Config", "Environment", "FailedRequest", "FileStore", "MemoryStore", "Problem", "Reason",
    "RosteringAuth", "RosteringError", "Status", "Store", "Token", "async_retry", "retry",
]
