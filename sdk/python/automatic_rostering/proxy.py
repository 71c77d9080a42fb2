"""The proxies of the environment, which httpx reads in its own way, and rejects with errors that show passwords."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address, ip_network
from urllib.request import getproxies

import httpx

from .error import RosteringError

_SCHEMES = ("http", "https", "socks5", "socks5h")
_PORTS = {"http": 80, "https": 443}
_MOST_PORT = 65535


def proxies(urls: Iterable[str]) -> dict[str, httpx.Proxy | None]:
    """Return the proxies of the environment for the servers of some URLs, or None, by the pattern of httpx's mounts.

    A RosteringError names the variable of an invalid one.
    """
    found, mounts = getproxies(), dict[str, httpx.Proxy | None]()
    for text in urls:
        with suppress(httpx.InvalidURL):
            url = httpx.URL(text)
            if url.scheme not in _PORTS:
                continue  # the plugin says why
            pattern = f"{url.scheme}://{url.netloc.decode()}"
            mounts[pattern] = None
            kind = url.scheme if url.scheme in found else "all"
            if kind in found and not _is_exempt(url, found.get("no", "")):
                mounts[pattern] = _proxy(kind, found[kind])
    return mounts


def _is_exempt(url: httpx.URL, no_proxy: str) -> bool:
    """Return whether a server is on this machine, or in a list of names, addresses and networks."""
    host = url.host.rstrip(".")
    address = None
    with suppress(ValueError):
        address = ip_address(host)
    if host == "localhost" or (address and address.is_loopback):
        return True
    for entry in re.split(r"[\s,]+", no_proxy.lower()):
        name = entry.rpartition("://")[2].removesuffix(f":{url.port or _PORTS[url.scheme]}")
        with suppress(ValueError):
            if address and address in ip_network(name.strip("[]"), strict=False):
                return True
        suffix = name.lstrip("*")
        if name == "*" or (suffix and (host == suffix or host.endswith("." + suffix.removeprefix(".")))):
            return True
    return False


def _proxy(kind: str, text: str) -> httpx.Proxy:
    text = text if "://" in text else f"http://{text}"
    with suppress(httpx.InvalidURL, ValueError):
        url = httpx.URL(text)
        if url.scheme in _SCHEMES and url.host and (url.port or 0) <= _MOST_PORT:
            return httpx.Proxy(url)
    name = f"{kind}_proxy"
    name = name if name in os.environ else name.upper()
    message = f"{name} must be the URL of a proxy, {', '.join(s + '://' for s in _SCHEMES)} with HOST:PORT"
    raise RosteringError("config_invalid", f"{message}, and a password in it percent-encoded; or pass an http client")
