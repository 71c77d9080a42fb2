"""Shows the plugin at work; README.md tells what to set in the environment."""

import os
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TextIO

from rostering import Client, Config, RosteringError

BUILT = Path(__file__).resolve().parents[2] / "dist" / "rostering.wasm"
SHOWN = 200  # characters of an answer
WRONG_SECRET = "not-the-secret"  # noqa: S105


def main() -> int:
    """Run, and explain what goes wrong."""
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
    """Show a token, the jobs with it, and an error."""
    config = read_config(env)
    wasm = env.get("ROSTERING_WASM") or BUILT
    with Client(wasm, config) as client:
        show_token(client)
        show_jobs("jobs", client)
        show_jobs("jobs again, with the same token", client)
    show_wrong_secret(wasm, config)


def read_config(env: Mapping[str, str]) -> Config:
    """Read the config, and name all that is missing at once."""
    missing: list[str] = []

    def read(name: str) -> str:
        value = env.get(name, "")
        if not value:
            missing.append(name)
        return value

    config = Config(
        auth_url=read("ROSTERING_AUTH_URL"),
        base_url=read("ROSTERING_BASE_URL"),
        environment=read("ROSTERING_ENVIRONMENT"),
        client_id=read("ROSTERING_CLIENT_ID"),
        client_secret=read("ROSTERING_CLIENT_SECRET"),
        customer_id=read("ROSTERING_CUSTOMER_ID"),
        user_id=read("ROSTERING_USER_ID"),
    )
    if missing:
        raise ValueError(f"set {', '.join(missing)}")
    return config


def show_token(client: Client) -> None:
    """Show what is no secret of a token."""
    token = client.get_token()
    text = token.access_token
    print(f"token: {text[:8]}… ({len(text)} characters)")
    print(f"  expires_at: {token.expires_at:%Y-%m-%d %H:%M:%S %Z}")


def show_jobs(title: str, client: Client) -> None:
    """Show how the service's answer begins. Its shape is the service's business."""
    body = client.list_jobs()
    text = body.decode(errors="replace").strip()
    print(f"{title}: {len(body)} bytes")
    print(f"  {text[:SHOWN]}{'…' if len(text) > SHOWN else ''}")


def show_wrong_secret(wasm: str | os.PathLike[str], config: Config) -> None:
    """Show an error."""
    print("a wrong client_secret:")
    with Client(wasm, replace(config, client_secret=WRONG_SECRET)) as client:
        try:
            client.list_jobs()
        except RosteringError as error:
            explain(error, sys.stdout)
        else:
            raise ValueError("the identity provider took a wrong client_secret")


def explain(error: RosteringError, file: TextIO) -> None:
    """Show what is known of an error."""
    for field in fields(error):
        value = getattr(error, field.name)
        if value is not None:
            print(f"  {field.name}: {value}", file=file)


if __name__ == "__main__":
    sys.exit(main())
