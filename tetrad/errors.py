"""The root of this package's errors, apart from the client: the command line catches it without importing httpx."""


class TetradError(Exception):
    """What a user can mend; the message names field, value, problem and remedy."""
