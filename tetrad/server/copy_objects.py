"""Copy an object store into another one: python -m tetrad.server.copy_objects FROM TO, for backups and for moving.

Both are addresses as in TETRAD_API_STORE_URL: file:///FOLDER or s3://BUCKET/PREFIX.
"""

import sys

from tetrad.internal.kept_answers import FOLDER
from tetrad.server.objects import ObjectStore, open_store

FOLDERS = ("reports", "verifications", FOLDER)
"""Where the services put objects."""


def copy_objects(source: ObjectStore, target: ObjectStore) -> int:
    """Copy every object and return their number. What is deleted meanwhile is left out.

    Raises:
        StoreError: a store failed; what was copied before stays.
    """
    copied = 0
    for folder in FOLDERS:
        for name in source.names(folder):
            body = source.get(name)
            if body is not None:
                target.put(name, body)
                copied += 1
    return copied


if __name__ == "__main__":
    if len(sys.argv) != 3:  # noqa: PLR2004 -- the program, and two addresses
        sys.exit(__doc__)
    source, target = map(open_store, sys.argv[1:])
    print(f"{copy_objects(source, target)} objects copied")  # noqa: T201 -- a command's last word
