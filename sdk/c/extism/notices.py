#!/usr/bin/env python3
"""Prints NOTICES.md: the licenses of what is linked into lib/libextism.so, as its wheel lists it. Needs cargo.

    extism/notices.py >extism/NOTICES.md
    extism/notices.py --check       fails unless that names everything in lib/libextism.so
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
HEAD = """# What is in libextism {version}

libextism is under [its own license](LICENSE). Linked into it are Rust's standard library, under the MIT license of The
Rust Project Developers, and these crates. If a crate offers a choice, its MIT license applies. `libextism.cdx.json`, which
is part of libextism, lists their origins. `extism/notices.py` wrote this file.
"""
# For crates without the text of their license, another crate with the same license; None is extism/LICENSE.
FALLBACK = {
    "BSD-3-Clause": None,
    "Apache-2.0 WITH LLVM-exception": "wasmtime",
    "MIT OR Apache-2.0": "anyhow",
    "GPL-2.0-only OR BSD-3-Clause": "ittapi-sys",
}
MIT = "Permission is hereby granted, free of charge"
FILE = re.compile(r"(licen[sc]e|copying|copyright|notice|unlicense)[^.]*(\.(md|txt))?|BSD-3-Clause.txt", re.I)
HOLDER = re.compile(r"^\W*(©|\(c\)|Copyright\b(?!.{0,5}(notice|licen[sc]e|owner|holder|and related))).*", re.I)
TITLE = re.compile(r"^\W*(The )?(MIT|ISC|BSD.*)( License)?\W*(\(MIT\))?\W*$", re.I)


def fetch(components: list[dict[str, str]]) -> Path:
    """Fetches these versions with cargo, and returns the folder with their sources."""
    lines = ["[package]", 'name = "notices"', 'version = "0.0.0"', 'edition = "2021"', "[dependencies]"]
    for i, crate in enumerate(components):
        version = crate["version"].split("+")[0]
        lines.append(f'c{i} = {{package = "{crate["name"]}", version = "={version}", default-features = false}}')
    with tempfile.TemporaryDirectory() as project:
        (Path(project) / "src").mkdir()
        (Path(project) / "src" / "lib.rs").touch()
        (Path(project) / "Cargo.toml").write_text("\n".join(lines))
        cargo = ["cargo", "metadata", "--quiet", "--format-version=1", "--manifest-path", f"{project}/Cargo.toml"]
        packages = json.loads(subprocess.run(cargo, check=True, capture_output=True).stdout)["packages"]
    return next(Path(p["manifest_path"]).parents[1] for p in packages if p["name"] == "wasmtime")


def texts(folder: Path, expression: str) -> list[str]:
    """Returns the license texts that apply: of those at the top the MIT license alone, if there is a choice."""
    found = sorted(p for p in folder.rglob("*") if p.is_file() and FILE.fullmatch(p.name))
    top, nested = [], []
    for path in found:
        text = path.read_text(errors="replace").replace("\r", "").strip()
        if "GNU GENERAL PUBLIC LICENSE" not in text and text not in top + nested:
            (top if path.parent == folder else nested).append(text)
    mit = [text for text in top if MIT in text]
    return (mit if mit and " AND " not in expression else top) + nested


def split(text: str) -> tuple[list[str], str]:
    """Separates the copyright holders from a text that several crates share. Long texts are kept whole."""
    if len(text) > 5000:
        return [], text
    lines = text.split("\n")
    holders = [line.strip() for line in lines if HOLDER.match(line)]
    rest = [line for line in lines if not HOLDER.match(line) and not TITLE.match(line)]
    return holders, "\n".join(rest).strip()


def main() -> None:
    bill = json.loads((HERE.parent / "lib" / "libextism.cdx.json").read_text())
    if sys.argv[1:] == ["--check"]:
        notices = (HERE / "NOTICES.md").read_text()
        missing = [c["name"] for c in bill["components"] if f"{c['name']} {c['version']}" not in notices]
        sys.exit(f"run extism/notices.py: NOTICES.md lacks {missing}" if missing else 0)
    crates = fetch(bill["components"])
    bodies: dict[str, str] = {}
    names, holders = defaultdict(list), defaultdict(dict)
    for crate in bill["components"]:
        expression = crate["licenses"][0]["expression"]
        found = texts(crates / f"{crate['name']}-{crate['version']}", expression)
        if not found and FALLBACK[expression] is None:
            found = [(HERE / "LICENSE").read_text().strip()]
        elif not found:
            other = next(c for c in bill["components"] if c["name"] == FALLBACK[expression])
            found = texts(crates / f"{other['name']}-{other['version']}", " AND ")
            found = [text for text in found if MIT not in text]
        for text in found:
            own, body = split(text)
            key = re.sub(r"\W+", " ", body).lower()
            bodies.setdefault(key, body)
            names[key].append(f"{crate['name']} {crate['version']}")
            holders[key].update(dict.fromkeys(own))
    print(HEAD.format(version=bill["metadata"]["component"]["version"]), end="")
    for key in sorted(bodies, key=lambda key: -len(set(names[key]))):
        print("\n## " + ", ".join(sorted(set(names[key]))), end="\n\n```text\n")
        print("\n".join([*holders[key], ""] if holders[key] else []), bodies[key], sep="\n" if holders[key] else "")
        print("```")


if __name__ == "__main__":
    main()
