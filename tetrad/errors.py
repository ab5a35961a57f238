"""The root of this package's errors. It is not in the client, so that the command line can catch it without httpx."""


class TetradError(Exception):
    """An error that the user can fix. The message names field, value, problem and remedy."""
