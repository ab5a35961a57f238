"""The API's two documents: `python -m api.openapi` writes them to openapi/, with `--check` only compares them."""

import sys
from pathlib import Path

from msgspec import json

from api.app import assemble
from api.http.description import operators_document, public_document

FOLDER = Path(__file__).parents[1] / "openapi"
DOCUMENT, OPERATORS_DOCUMENT = FOLDER / "api.json", FOLDER / "operators.json"


def render_documents() -> dict[Path, bytes]:
    """Return the documents as they are checked in: the same bytes for the same code."""
    raw = assemble(None, None).openapi_schema.to_schema()
    documents = {DOCUMENT: public_document(raw), OPERATORS_DOCUMENT: operators_document(raw)}
    return {
        path: json.format(json.encode(document, order="deterministic"), indent=2) + b"\n"
        for path, document in documents.items()
    }


def main(arguments: list[str]) -> int:
    """Write the documents, or say which of those that are checked in are stale."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("python -m api.openapi takes no argument, or --check to compare and write nothing\n")
        return 2
    FOLDER.mkdir(exist_ok=True)
    stale = [path for path, body in render_documents().items() if not path.is_file() or path.read_bytes() != body]
    if arguments == ["--check"]:
        for path in stale:
            sys.stderr.write(f"{path.relative_to(FOLDER.parent)} is not what the code makes: run `make openapi`\n")
        return 1 if stale else 0
    for path, body in render_documents().items():
        path.write_bytes(body)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
