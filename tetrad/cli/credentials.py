"""Keep API keys by address and profile in the user's own file ($TETRAD_CONFIG or ~/.config/tetrad/keys.json, mode 600).

A profile is a team's API key under a name: the team's own name, where `tetrad keys new` made it. One profile of an
address is in use: the one that was made last, until `tetrad use` chooses another. $TETRAD_PROFILE chooses one for a
command, and $TETRAD_KEY brings a key without any file.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

import msgspec
from cyclopts import Parameter

from tetrad.client import Client, TetradError
from tetrad.files import whole_file

DEFAULT_URL = "http://127.0.0.1:8000"
UNKNOWN_KEY = 401
UrlOption: TypeAlias = Annotated[
    str | None, Parameter(help=f"address of the service; $TETRAD_URL, else {DEFAULT_URL}.")
]


class AddressError(TetradError):
    """The address is none of a service."""


class KeysFileError(TetradError):
    """The file of API keys can't be read or written. Nothing in it is overwritten."""


class NoKeyError(TetradError):
    """A command needs an API key and there is none for this address."""


class NoProfileError(TetradError):
    """The profile that was asked for is not kept for this address."""


class Profiles(msgspec.Struct, frozen=True, kw_only=True):
    """The API keys of an address by profile, and the profile in use."""

    used: str
    keys: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class KnownKey:
    """An API key, and where it is from, in words."""

    text: str
    origin: str


class _Used:
    """The origin of the credential that this process used last, for an error that says it is wrong."""

    origin: str | None = None


def address(url: str | None, *, option: str = "--url") -> str:
    """Return the service's address: the option, else $TETRAD_URL, else this machine's default.

    Args:
        url: the option's value, if it was given.
        option: the option's name, for the error.

    Raises:
        AddressError: it is no address, or that of the API's routes.
    """
    source = option if url else "TETRAD_URL"
    text = (url or os.environ.get("TETRAD_URL") or DEFAULT_URL).rstrip("/")
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise AddressError(f"{source} {text!r} is no address of a service; give one like {DEFAULT_URL}")
    if parts.path.endswith("/v1"):
        raise AddressError(f"{source} {text} ends in /v1; leave that out: {text.removesuffix('/v1')}")
    return text


def keys_file() -> Path:
    configured = os.environ.get("TETRAD_CONFIG")
    return Path(configured) if configured else Path.home() / ".config" / "tetrad" / "keys.json"


def known_key(url: str) -> KnownKey | None:
    """Return $TETRAD_KEY, else the API key of the profile in use at this address.

    Raises:
        NoProfileError: $TETRAD_PROFILE names none that is kept for this address.
    """
    given = os.environ.get("TETRAD_KEY")
    if given:
        return KnownKey(text=given, origin="TETRAD_KEY")
    return kept_key(url)


def kept_key(url: str) -> KnownKey | None:
    """Return the API key kept for this address. No instance may see the API key of another one.

    Raises:
        NoProfileError: $TETRAD_PROFILE names none that is kept for this address.
    """
    found = profiles(url)
    wanted = os.environ.get("TETRAD_PROFILE")
    if found is None and not wanted:
        return None
    if found is None or (wanted and wanted not in found.keys):
        raise NoProfileError(f"TETRAD_PROFILE is {wanted!r}, and there is no such profile for {url}{_those(found)}")
    name = wanted or found.used
    return KnownKey(text=found.keys[name], origin=f"profile {name} in {keys_file()}")


def profiles(url: str) -> Profiles | None:
    """Return the profiles kept for this address."""
    return _read_profiles().get(url)


def use_profile(url: str, name: str) -> None:
    """Use another profile of this address from now on.

    Raises:
        NoProfileError: there is no such profile.
        KeysFileError: the file can't be written.
    """
    found = profiles(url)
    if found is None or name not in found.keys:
        raise NoProfileError(f"there is no profile {name!r} for {url}{_those(found)}")
    _write({**_read_profiles(), url: Profiles(used=name, keys=found.keys)})


def keep_key(url: str, key: str, profile: str) -> Path:
    """Keep the API key as a profile of this address, and use it from now on. Other profiles stay.

    Raises:
        KeysFileError: the file can't be written, or it exists and is not a file of API keys.
    """
    kept = _read_profiles()
    others = kept[url].keys if url in kept else {}
    return _write({**kept, url: Profiles(used=profile, keys={**others, profile: key})})


def connect(url: str | None) -> Client:
    """Return a client for the address, with its API key where there is one."""
    where = address(url)
    key = known_key(where)
    _Used.origin = None if key is None else key.origin
    return Client(where, None if key is None else key.text)


def connect_with_key(url: str | None) -> Client:
    """Return a client with an API key.

    Raises:
        NoKeyError: there is none; the message says how to get one.
    """
    where = address(url)
    key = known_key(where)
    if key is None:
        raise NoKeyError(f"no key for {where}; make one with `tetrad keys new --team NAME`, or set TETRAD_KEY")
    _Used.origin = key.origin
    return Client(where, key.text)


def note_origin(origin: str) -> None:
    """Remember where the credential is from that a command uses now."""
    _Used.origin = origin


def with_origin(error: TetradError) -> str:
    """Return the error's text; with where the credential is from, if the service says that it is wrong."""
    problem = getattr(error, "problem", None)
    if problem is None or problem.status != UNKNOWN_KEY or _Used.origin is None:
        return str(error)
    return f"{error}\n  what was sent is from {_Used.origin}"


def _those(found: Profiles | None) -> str:
    return "; there is none at all" if found is None else f"; there are {', '.join(sorted(found.keys))}"


def _write(kept: Mapping[str, Profiles]) -> Path:
    path = keys_file()
    body = msgspec.json.format(msgspec.json.encode(kept))
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with whole_file(path, durable=False) as file:
            file.write(body)
    except OSError as error:
        raise KeysFileError(f"{path} can't be written ({error}); set TETRAD_CONFIG to another file") from error
    return path


def _read_profiles() -> dict[str, Profiles]:
    try:
        return msgspec.json.decode(keys_file().read_bytes(), type=dict[str, Profiles])
    except FileNotFoundError:
        return {}
    except (msgspec.DecodeError, OSError) as error:
        raise KeysFileError(f"{keys_file()} can't be read ({error}); correct it, or move it away") from error
