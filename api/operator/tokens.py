"""The operators' tokens, as the environment gives them: TOKEN or NAME=TOKEN, joined by commas."""

UNNAMED = "operator"


def operators(setting: str) -> dict[str, str]:
    """Return the names of the tokens in TETRAD_API_OPERATOR_TOKEN."""
    entries = (entry.rpartition("=") for entry in setting.split(",") if entry)
    return {token: name or UNNAMED for name, _, token in entries}
