"""Keep API keys by address in the user's own file ($TETRAD_CONFIG or ~/.config/tetrad/keys.json, mode 600)."""

import os
from pathlib import Path

import msgspec

from tetrad.client import Client, TetradError
from tetrad.files import whole_file

DEFAULT_URL = "http://127.0.0.1:8000"


class KeysFileError(TetradError):
    """The file of API keys can't be read or written. Nothing in it is overwritten."""


class NoKeyError(TetradError):
    """A command needs an API key and there is none for this address."""


def address(url: str | None) -> str:
    """Return the service's address: the option, else $TETRAD_URL, else this machine's default."""
    return (url or os.environ.get("TETRAD_URL") or DEFAULT_URL).rstrip("/")


def keys_file() -> Path:
    configured = os.environ.get("TETRAD_CONFIG")
    return Path(configured) if configured else Path.home() / ".config" / "tetrad" / "keys.json"


def known_key(url: str) -> str | None:
    """Return $TETRAD_KEY, else the API key kept for this address."""
    return os.environ.get("TETRAD_KEY") or kept_key(url)


def kept_key(url: str) -> str | None:
    """Return the API key kept for this address. No instance may see the API key of another one."""
    return _kept().get(url)


def keep_key(url: str, key: str) -> Path:
    """Keep the API key for this address, in a file that only its owner can read.

    Raises:
        KeysFileError: the file can't be written, or it exists and is not a file of API keys.
    """
    path = keys_file()
    body = msgspec.json.format(msgspec.json.encode({**_kept(), url: key}))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with whole_file(path, durable=False) as file:
            file.write(body)
    except OSError as error:
        raise KeysFileError(f"{path} can't be written ({error}); set TETRAD_CONFIG to another file") from error
    return path


def connect(url: str | None) -> Client:
    """Return a client for the address, with its API key where there is one."""
    where = address(url)
    return Client(where, known_key(where))


def connect_with_key(url: str | None) -> Client:
    """Return a client with an API key.

    Raises:
        NoKeyError: there is none; the message says how to get one.
    """
    where = address(url)
    key = known_key(where)
    if key is None:
        raise NoKeyError(f"no key for {where}; make one with `tetrad keys new --team NAME`, or set TETRAD_KEY")
    return Client(where, key)


def _kept() -> dict[str, str]:
    try:
        return msgspec.json.decode(keys_file().read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, OSError) as error:
        raise KeysFileError(f"{keys_file()} can't be read ({error}); correct it, or move it away") from error
