"""Compiles the plugin before the first call, as pip does with modules: python -m automatic_rostering."""

import sys

from .compiled import FILE, compiled
from .plugin import bundled

sys.dont_write_bytecode = False  # which images often have set
compiled(bundled())
if not (FILE and FILE.exists()):
    sys.exit(f"cannot write {FILE or 'into an archive'}")
