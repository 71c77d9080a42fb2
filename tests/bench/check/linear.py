"""Checks that the built plugin takes linear time: a text from outside costs at most so many operators a byte.

Each text is a piece that is repeated. Twice as many may not cost more than twice the operators. The search for secrets alone
takes longer, if both a text and a secret repeat themselves; a call has a budget for that.
"""

import json
import random
import sys

from check import CONFIG, NOW, Core

SIZES = (2 << 10, 4 << 10)  # bytes
FLAT, PER_BYTE = 400_000, 3_000  # operators
SEARCH = 70_000_000  # of a search in what repeats itself
TOLERANCE = 1.05

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjbGllbnQifQ.c2ln"
SELF_SIMILAR = "t" * (32 << 10)

PIECES = [
    "://", "://a@", "x://@", "@", "a", " ", '"', "\\", "%", "%65", "+", "é", "Ã©", "\u0000", "\ufffd", "\U0001f600", "\\u0065",
    "\\ud83d", "[", "{", '{"a":', "[],", ",", "}", "1", "1e", TOKEN[:-1], TOKEN[:-1] + "%", CONFIG["client_secret"][:-1], "eyJ",
]  # fmt: skip


def texts():
    """Yields the pieces, and random sequences of them."""
    yield from PIECES
    chosen = random.Random(1)
    for _ in range(10):
        yield "".join(chosen.choices(PIECES, k=chosen.randint(2, 5)))


def flow(core, accepts):
    """Returns a flow that waits for the store, or for a response."""
    before = core.state
    begun = json.loads(core.call("begin", {"accepts": accepts, "now": NOW})[0])
    core.state = before
    return begun["flow"]


def inputs(reading, requesting):
    """Returns what makes an input of a text, and the export that takes it."""
    explained = {"status": 500, "tokens": [TOKEN], "now": NOW}
    asked = {"flow": requesting, "now": NOW}
    stored = {"flow": reading, "now": NOW}
    return {
        "explain's body": ("explain", lambda text: explained | {"body": text}),
        "a header's value": ("explain", lambda text: explained | {"headers": {"A": text}}),
        "a header's name": ("explain", lambda text: explained | {"headers": {text: "a"}}),
        "headers": ("explain", lambda text: explained | {"headers": by_lines(text)}),
        "the values of a header": ("explain", lambda text: explained | {"headers": {"A": text.split("e")}}),
        "explain's reason": ("explain", lambda text: {"failed": text, "tokens": [TOKEN]}),
        "the token endpoint's body": ("resume", lambda text: asked | {"status": 400, "body": text}),
        "an OAuth error": ("resume", lambda text: asked | {"status": 400, "body": json.dumps({"error": text})}),
        "its description": ("resume", lambda text: asked | {"status": 400, "body": json.dumps({"error_description": text})}),
        "an access token": ("resume", lambda text: asked | {"status": 200, "body": json.dumps({"access_token": text})}),
        "resume's reason": ("resume", lambda text: asked | {"failed": text}),
        "a store's reason": ("resume", lambda text: stored | {"failed": text}),
        "a store's value": ("resume", lambda text: stored | {"value": text}),
        "a field's name": ("begin", lambda text: {text: True}),
        "a path": ("request", lambda text: {"path": "/" + text}),
    }


def by_lines(text):
    """Returns a header for each 32 bytes."""
    return {f"{at}{text[at : at + 32]}": text[at : at + 32] for at in range(0, len(text), 32)}


def costs(core, run):
    """Yields the name of an input or a config key, the piece, and for each size the bytes of the input and what it costs."""
    made = inputs(flow(core, ["store"]), flow(core, []))
    for piece in texts():
        repeated = [(piece * size)[: size * len(piece) // len(piece.encode())] for size in SIZES]
        for name, (export, make) in made.items():
            yield name, piece, [(len(json.dumps(make(text), ensure_ascii=False).encode()), run(export, make(text))) for text in repeated]
        for key in CONFIG:
            yield key, piece, [(len(text.encode()), run("configure", CONFIG | {key: text})) for text in repeated]


def searches(core, run):
    """Yields what the longest search costs: for a token that repeats itself, in texts that do so, too."""
    for piece in ("t", "%74", "\\u0074", "t" * 79 + "%"):
        headers = {str(n): piece * (640 // len(piece)) for n in range(100)}
        given = {"status": 500, "tokens": [SELF_SIMILAR] * 3, "headers": headers, "body": piece * 4096, "now": NOW}
        yield piece, run("explain", given)
        body = json.dumps({"access_token": SELF_SIMILAR, "error": piece * 4096, "error_description": piece * 4096})
        given = {"flow": flow(core, []), "now": NOW, "status": 400, "body": body}
        yield piece, run("resume", given)


def main():
    """Exits with a message if one is not linear."""
    core, worst = Core(), {}
    configured = core.state

    def run(export, given):
        """Returns what a call costs that begins with the state of a new instance, and leaves that."""
        core.state = configured
        operators = core.run(export, given)[-1]
        if export == "configure":
            operators += core.run("check")[-1]
        core.state = configured
        return operators

    for name, piece, cost in costs(core, run):
        what = f"{name} of {piece[:40]!r}: (bytes, operators) are {cost}"
        for (_, less), (size, more) in zip(cost, cost[1:], strict=False):
            if more > 2 * TOLERANCE * max(less, FLAT):
                sys.exit(f"{what}: not linear")
            if more > FLAT + PER_BYTE * size:
                sys.exit(f"{what}: more than {FLAT} and {PER_BYTE} for each byte")
        worst[name] = max(worst.get(name, (0,)), (cost[-1][1], cost[-1][0], piece[:40]))
    for piece, operators in searches(core, run):
        if operators > SEARCH:
            sys.exit(f"a search in {piece!r} takes {operators} operators, more than {SEARCH}")
        worst["search"] = max(worst.get("search", (0,)), (operators, piece[:40]))
    if "-v" in sys.argv:
        for name, cost in worst.items():
            print(name, *cost, sep="\t")


if __name__ == "__main__":
    main()
