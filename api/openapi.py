"""Write the public API's document: `python -m api.openapi` makes openapi/api.json."""

from pathlib import Path

from msgspec import json

from api.app import assemble
from api.description import amended

DOCUMENT = Path(__file__).parents[1] / "openapi" / "api.json"


def rendered() -> bytes:
    """Return the document as it is checked in: the same bytes for the same code."""
    document = amended(assemble(None).openapi_schema.to_schema())
    return json.format(json.encode(document, order="deterministic"), indent=2) + b"\n"


if __name__ == "__main__":
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_bytes(rendered())
