"""stage.py FOLDER: copies the pages there for MkDocs, and what they link to. A link to a source file leads to a copy that
browsers show, and one to a folder to its page or, without one, to a list of its files."""

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

SHOWN = {".png", ".svg", ".wasm", ".json"}
FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(\]\()([^)#:\s]+)(?=[)#])")


def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\n")[:-1]


class Stage:
    def __init__(self, to: Path) -> None:
        self.to = to

    def write(self, name: str, content: bytes) -> None:
        path = self.to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def page(self, name: str) -> None:
        parts = FENCED.split(Path(name).read_text())
        parts[::2] = [LINK.sub(lambda found: found[1] + self.target(name, found[2]), text) for text in parts[::2]]
        self.write(name, "".join(parts).encode())

    def target(self, page: str, link: str) -> str:
        """Returns what takes the place of a link, and copies what that leads to."""
        folder = str(PurePosixPath(page).parent)
        name = normpath(f"{folder}/{link}")
        if Path(name).is_dir():
            name += "/README.md"
            if not Path(name).exists():
                self.list(name)
        elif not name.endswith(".md"):
            name = self.copy(name)
        return relpath(name, folder)

    def list(self, name: str) -> None:
        folder = str(PurePosixPath(name).parent)
        files = [relpath(self.copy(file), folder) for file in tracked(folder) if Path(file).suffix != ".md"]
        self.write(name, "\n".join([f"# {folder}\n", *(f"- [{f.removesuffix('.txt')}]({f})" for f in files), ""]).encode())

    def copy(self, file: str) -> str:
        name = file.lstrip(".")  # MkDocs leaves hidden files out
        name += "" if Path(file).suffix in SHOWN else ".txt"
        self.write(name, Path(file).read_bytes())
        return name


stage = Stage(Path(sys.argv[1]))
for page in tracked("*.md"):
    stage.page(page)
