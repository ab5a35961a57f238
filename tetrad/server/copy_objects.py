"""Copy an object store into another one: python -m tetrad.server.copy_objects FROM TO, for backups and for moving.

Both are addresses as in TETRAD_API_STORE_URL: file:///FOLDER or s3://BUCKET/PREFIX.
"""

import sys

from tetrad.internal.kept_answers import FOLDER
from tetrad.server.named_objects import digest_in, find_problem
from tetrad.server.objects import ObjectStore, open_store

FOLDERS = ("reports", "verifications", FOLDER)
"""Where the services put objects."""
MOST_NAMED = 5


class DamagedObjectsError(Exception):
    """Objects differ from the digests in their names, and were not copied; the message names some."""


def copy_objects(source: ObjectStore, target: ObjectStore) -> int:
    """Copy every object and return their number. What is deleted meanwhile is left out.

    Raises:
        StoreError: a store failed; what was copied before stays.
        DamagedObjectsError: some are damaged; the others are copied, and what the target had of these stays.
    """
    copied = 0
    damaged: list[str] = []
    for folder in FOLDERS:
        for name in source.names(folder):
            body = source.get(name)
            if body is None:
                continue
            if find_problem(body, digest_in(name)) is not None:
                damaged.append(name)
                continue
            target.put(name, body)
            copied += 1
    if damaged:
        raise DamagedObjectsError(
            f"{len(damaged)} objects are damaged and were not copied, {copied} were: {', '.join(damaged[:MOST_NAMED])}"
        )
    return copied


if __name__ == "__main__":
    if len(sys.argv) != 3:  # noqa: PLR2004 -- the program, and two addresses
        sys.exit(__doc__)
    source, target = map(open_store, sys.argv[1:])
    try:
        print(f"{copy_objects(source, target)} objects copied")  # noqa: T201 -- a command's last word
    except DamagedObjectsError as error:
        sys.exit(str(error))
