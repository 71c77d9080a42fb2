"""Completes bills of materials, compares all with CycloneDX's schema, and counts their components.

Usage: finish.py VERSION BILL...
"""

import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

GO = "BSD-3-Clause"
# Its runtime is linked into the plugin, and no module requires it.
TINYGO, VERSION = "pkg:github/tinygo-org/tinygo", "v0.41.1"

for file in map(Path, sys.argv[2:]):
    bill = json.loads(file.read_text())
    top = bill["metadata"]["component"]
    if file.name == "javascript.cdx.json":
        top["name"] = "automatic-rostering"  # npm has the folder's
        del bill["serialNumber"], bill["metadata"]["timestamp"]
        file.write_text(json.dumps(bill, indent=2) + "\n")
    if top.get("purl", "").startswith("pkg:golang/"):
        bill = json.loads(file.read_text().replace(top["version"], f"v{sys.argv[1]}"))
        del bill["metadata"]["tools"]  # with hashes of the tool as it was built here
        licenses = {c["name"]: GO for c in bill["components"] if c["name"].startswith(("golang.org/x/", "std"))}
        if file.name.startswith("plugin"):
            licenses[TINYGO] = GO
            ref = f"{TINYGO}@{VERSION}"
            bill["components"].append(
                {"type": "library", "bom-ref": ref, "name": TINYGO, "version": VERSION, "purl": ref}
            )
            bill["dependencies"][0]["dependsOn"].append(ref)
        for component in bill["components"]:
            if component["name"] in licenses:  # which the tool does not recognize
                component["licenses"] = [{"license": {"id": licenses[component["name"]]}}]
        file.write_text(json.dumps(bill, indent=2) + "\n")
    schema = SchemaVersion["V" + bill["specVersion"].replace(".", "_")]
    if error := JsonStrictValidator(schema).validate_str(file.read_text()):
        sys.exit(f"{file}: {error}")
    print(f"{file}: {len(bill['components'])} components")
