"""What stands in the identity of a draw for the sources that it draws from."""

from collections.abc import Mapping

from tetrad.canonical import hexdigest

NO_SOURCE = "none"
"""What stands there for a draw from no source."""


def combined(digests: Mapping[str, str]) -> str:
    """Return the one digest of a draw from sources of these kinds: a source's own where there is only one."""
    if len(digests) > 1:
        return hexdigest("tetrad/sources/1", dict(digests))
    return next(iter(digests.values()), NO_SOURCE)
