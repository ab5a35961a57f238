"""The models this gateway serves, from one TOML file, each opened with its provider at start."""

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from inference_gateway.providers import ChatModel, EmbeddingModel, OptionsError, Provider
from tetrad.contracts.inference import GatewayModel

M = TypeVar("M")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")


class RegistryError(Exception):
    """The registry file does not fit; the message names the file, the entry, the field and the remedy."""


class UnknownModelError(Exception):
    """No model of this kind has the id asked for; `known` lists those there are."""

    def __init__(self, model: str, kind: str, known: list[str]) -> None:
        super().__init__(f"{kind} model {model!r} is unknown; choose one of {', '.join(known) or 'none'}")
        self.model = model
        self.kind = kind
        self.known = known


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of the file; `options` are the provider's own."""

    provider: str
    kind: Literal["chat", "embedding"]
    title: str
    options: dict[str, object] = {}


class Registry:
    """Every model by id, ready to be asked."""

    def __init__(self, entries: Mapping[str, Entry], providers: Mapping[str, Provider]) -> None:
        """Open every model: RegistryError where a provider is unknown or its options do not fit."""
        self._entries = entries
        self._chat = {
            name: _opened(name, entry, providers, lambda provider, options: provider.open_chat(options))
            for name, entry in entries.items()
            if entry.kind == "chat"
        }
        self._embedding = {
            name: _opened(name, entry, providers, lambda provider, options: provider.open_embedding(options))
            for name, entry in entries.items()
            if entry.kind == "embedding"
        }

    def chat(self, model: str) -> ChatModel:
        """Return the chat model of this id; UnknownModelError when there is none."""
        return _found(model, "chat", self._chat)

    def embedding(self, model: str) -> EmbeddingModel:
        """Return the embedding model of this id; UnknownModelError when there is none."""
        return _found(model, "embedding", self._embedding)

    def models(self) -> list[GatewayModel]:
        """List every model, in the file's order."""
        return [
            GatewayModel(id=name, provider=entry.provider, kind=entry.kind, title=entry.title)
            for name, entry in self._entries.items()
        ]


def load_registry(path: Path, providers: Mapping[str, Provider]) -> Registry:
    """Read the file and open its models.

    Raises:
        RegistryError: the file can't be read, or an entry of it does not fit.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RegistryError(f"{path}: {error}; give a TOML file with one table for each model") from error
    try:
        return Registry({name: _entry(name, table) for name, table in tables.items()}, providers)
    except RegistryError as error:
        raise RegistryError(f"{path}: {error}") from error


def _entry(name: str, table: object) -> Entry:
    if not _ID.fullmatch(name):
        raise RegistryError(f"[{name}]: an id is 1 to 64 letters, digits and . _ : / -, the first a letter or digit")
    try:
        return msgspec.convert(table, Entry)
    except msgspec.ValidationError as error:
        raise RegistryError(f"[{name}]: {error}; an entry has provider, kind, title and options") from error


def _opened(
    name: str, entry: Entry, providers: Mapping[str, Provider], opened: Callable[[Provider, Mapping[str, object]], M]
) -> M:
    if entry.provider not in providers:
        known = ", ".join(sorted(providers))
        raise RegistryError(f"[{name}] provider: {entry.provider!r} is unknown; choose one of {known}")
    try:
        return opened(providers[entry.provider], entry.options)
    except OptionsError as error:
        raise RegistryError(f"[{name}] options: {error}") from error


def _found(model: str, kind: str, known: Mapping[str, M]) -> M:
    if model not in known:
        raise UnknownModelError(model, kind, sorted(known))
    return known[model]
