"""A client of the Automatic Rostering service.

    with Client(Config.from_env()) as client:
        jobs = client.list_jobs().json()

Open one `Client` per process and share it between threads; with asyncio, open one `AsyncClient`.
A call that fails raises a `RosteringError`.
"""

__version__ = "0.1.0"

from .async_client import AsyncClient
from .auth import RosteringAuth
from .base import BaseClient
from .client import Client
from .config import Config, Environment
from .error import Code, RosteringError
from .file_store import FileStore
from .plugin import CONTRACT
from .protocols import AsyncJobsClient, JobsClient
from .retry import async_retry, retry
from .store import AsyncStore, MemoryStore, Store
from .token import Token

__all__ = [
    "CONTRACT",
    "AsyncClient",
    "AsyncJobsClient",
    "AsyncStore",
    "BaseClient",
    "Client",
    "Code",
    "Config",
    "Environment",
    "FileStore",
    "JobsClient",
    "MemoryStore",
    "RosteringAuth",
    "RosteringError",
    "Store",
    "Token",
    "async_retry",
    "retry",
]
