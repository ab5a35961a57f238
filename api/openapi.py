"""The public API's document: `python -m api.openapi` writes openapi/api.json, with `--check` only compares it."""

import sys
from pathlib import Path

from msgspec import json

from api.app import assemble
from api.http.description import amended

DOCUMENT = Path(__file__).parents[1] / "openapi" / "api.json"


def rendered() -> bytes:
    """Return the document as it is checked in: the same bytes for the same code."""
    document = amended(assemble(None, None).openapi_schema.to_schema())
    return json.format(json.encode(document, order="deterministic"), indent=2) + b"\n"


def main(arguments: list[str]) -> int:
    """Write the document, or say whether the one that is checked in is stale."""
    if arguments == ["--check"]:
        if DOCUMENT.is_file() and DOCUMENT.read_bytes() == rendered():
            return 0
        sys.stderr.write(
            f"{DOCUMENT.relative_to(DOCUMENT.parents[1])} is not what the code makes: run `make openapi`\n"
        )
        return 1
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_bytes(rendered())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
