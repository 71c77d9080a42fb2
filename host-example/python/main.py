"""Demonstrates the package. README.md lists the environment variables."""

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TextIO, cast

from rostering import Client, Config, Environment, RosteringError
from rostering.plugin import BUNDLED

SHOWN = 200  # characters of an answer
WRONG_SECRET = "not-the-secret"  # noqa: S105


def main() -> int:
    """Run, and explain failures."""
    try:
        run(os.environ)
    except RosteringError as error:
        print(f"failed: {error}", file=sys.stderr)
        explain(error, sys.stderr)
    except (OSError, ValueError) as error:
        print(f"failed: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    else:
        return 0
    return 1


def run(env: Mapping[str, str]) -> None:
    """Show a token, the jobs requested with it, and an error."""
    config = read_config(env)
    wasm = env.get("ROSTERING_WASM") or BUNDLED
    with Client(config, plugin=wasm) as client:
        show_token(client)
        show_jobs("jobs", client)
        show_jobs("jobs again, with the same token", client)
    print("a wrong client_secret:")
    with Client(replace(config, client_secret=WRONG_SECRET), plugin=wasm) as client:
        try:
            client.list_jobs()
        except RosteringError as error:
            explain(error, sys.stdout)
        else:
            raise ValueError("the identity provider accepted a wrong client_secret")


def read_config(env: Mapping[str, str]) -> Config:
    """Read the config. A ValueError names every variable that is missing."""
    missing: list[str] = []

    def read(name: str) -> str:
        value = env.get(name, "")
        if not value:
            missing.append(name)
        return value

    config = Config(
        auth_url=read("ROSTERING_AUTH_URL"),
        base_url=read("ROSTERING_BASE_URL"),
        environment=cast(Environment, read("ROSTERING_ENVIRONMENT")),  # the plugin checks it
        client_id=read("ROSTERING_CLIENT_ID"),
        client_secret=read("ROSTERING_CLIENT_SECRET"),
        customer_id=read("ROSTERING_CUSTOMER_ID"),
        user_id=read("ROSTERING_USER_ID"),
    )
    if missing:
        raise ValueError(f"set {', '.join(missing)}")
    return config


def show_token(client: Client) -> None:
    """Show a token without its secret part."""
    token = client.get_token()
    text = token.access_token
    print(f"token: {text[:8]}… ({len(text)} characters)")
    print(f"  expires_at: {token.expires_at:%Y-%m-%d %H:%M:%S %Z}")


def show_jobs(title: str, client: Client) -> None:
    """Show the start of the service's answer."""
    response = client.list_jobs()
    text = response.text.strip()
    print(f"{title}: status {response.status_code}, {len(response.content)} bytes")
    print(f"  {text[:SHOWN]}{'…' if len(text) > SHOWN else ''}")


def explain(error: RosteringError, file: TextIO) -> None:
    """Show the fields of an error."""
    for name, value in error.to_dict().items():
        print(f"  {name}: {value}", file=file)


if __name__ == "__main__":
    sys.exit(main())
