"""Compares bills of materials with CycloneDX's schema, and counts their components."""

import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for file in map(Path, sys.argv[1:]):
    text = file.read_text()
    bill = json.loads(text)
    version = SchemaVersion["V" + bill["specVersion"].replace(".", "_")]
    if error := JsonStrictValidator(version).validate_str(text):
        sys.exit(f"{file}: {error}")
    print(f"{file}: {len(bill['components'])} components")
