"""The lines of docs/operations.md that follow a mounted file, whose test is in test_rotate.py."""

# snippet
import logging
from threading import Event

from automatic_rostering import Client, Config, RosteringError


def follow_secret(client: Client, closing: Event, seconds: float = 60) -> None:  # in a thread
    while not closing.wait(seconds):
        try:
            client.set_secret(Config.from_env().client_secret)  # the same one changes nothing
        except RosteringError as error:  # the one before stays
            logging.getLogger("jobs").warning("the client secret cannot be read: %s", error)
            # end of snippet
