"""What a program needs. The README of the package shows it, and test-package.sh runs it."""

import os

from automatic_rostering import Client, Config, RosteringError

# snippet
config = Config(
    environment="stage",  # or "production"
    auth_url=os.environ["ROSTERING_AUTH_URL"],
    base_url=os.environ["ROSTERING_BASE_URL"],
    client_id=os.environ["ROSTERING_CLIENT_ID"],
    client_secret=os.environ["ROSTERING_CLIENT_SECRET"],
    customer_id=os.environ["ROSTERING_CUSTOMER_ID"],
    user_id=os.environ["ROSTERING_USER_ID"],
)
with Client(config) as client:  # one per process, for all threads
    try:
        jobs = client.list_jobs().json()
    except RosteringError as error:
        print(error)  # says what to do
        if error.retryable:
            print(f"call again in {error.retry_after or 1} s")
    else:
        print(jobs)
# end of snippet
