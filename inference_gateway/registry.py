"""The models this gateway serves, from one TOML file, and the same file read again while it is served.

An error names the file, the line, the entry and the field. Secrets are references, to a variable or a file.
"""

import asyncio
import hashlib
import logging
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from inference_gateway.entries import EntryFieldError, entry_of, line_of
from inference_gateway.opened_models import Offer, Opened, Opening
from inference_gateway.providers import AskingModel
from inference_gateway.upstream_http import UpstreamHttp
from tetrad.contracts.inference import Purpose

NOTHING: Mapping[str, str] = MappingProxyType({})
log = logging.getLogger(__name__)


class RegistryError(Exception):
    """The registry file is wrong; the message names the file, the line, the entry, the field and the remedy."""


class UnknownModelError(Exception):
    """No model of this kind has the id asked for; `known` lists those there are."""

    def __init__(self, model: str, kind: str, known: list[str]) -> None:
        super().__init__(f"{kind} model {model!r} is unknown; choose one of {', '.join(known) or 'none'}")
        self.model = model
        self.kind = kind
        self.known = known


class Registry:
    """Every model by id in the file's order, ready to be asked. Reading the file again makes another registry."""

    def __init__(self, opened: Mapping[str, Opened], digest: str = "") -> None:
        self.opened = opened
        self.digest = digest

    def all(self) -> list[Opened]:
        """Return every model, in the file's order."""
        return list(self.opened.values())

    def fallbacks(self, model: Opened, purpose: Purpose) -> list[Opened]:
        """Return the models that may answer in a model's place. For calls that are scored, only the same release."""
        others = [self.opened[name] for name in model.entry.fallback]
        return [other for other in others if purpose == "practice" or other.release == model.release]


def load_registry(
    path: Path,
    offers: Mapping[str, Offer],
    http: UpstreamHttp | None = None,
    environ: Mapping[str, str] = NOTHING,
) -> Registry:
    """Read the file and open its models; secrets that are variables are looked for in `environ`.

    Raises:
        RegistryError: the file can't be read, or an entry of it is wrong.
    """
    try:
        text = path.read_text("utf-8")
        tables = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RegistryError(f"{path}: {error}; give a TOML file with one table for each model") from error
    opening = Opening(offers, http or UpstreamHttp(), environ)
    opened: dict[str, Opened] = {}
    try:
        entries = {name: entry_of(name, table) for name, table in tables.items()}
        for name, entry in sorted(entries.items(), key=lambda table: opening.is_asking(table[1])):  # others come first
            opened[name] = opening.open(name, entry, opened, path.parent)
        opened = {name: opened[name] for name in entries}
        for model in opened.values():
            _check_fallbacks(model, opened)
    except EntryFieldError as error:
        line = line_of(text, error.entry, error.field)
        raise RegistryError(
            f"{path}, line {line}: [{error.entry}] {error.field}: {error}".replace(" :", ":")
        ) from error
    return Registry(opened, _digest(text, opened))


def _digest(text: str, opened: Mapping[str, Opened]) -> str:
    """Return the digest of the file, and of the files that models were opened with: replies depend on them."""
    digests = [
        model.chat.digest for model in opened.values() if isinstance(model.chat, AskingModel) and model.chat.files
    ]
    return hashlib.sha256("\n".join([text, *digests]).encode()).hexdigest()


def _check_fallbacks(model: Opened, opened: Mapping[str, Opened]) -> None:
    for name in model.entry.fallback:
        if name == model.id or name not in opened or opened[name].entry.kind != model.entry.kind:
            known = ", ".join(
                other.id for other in opened.values() if other.entry.kind == model.entry.kind and other != model
            )
            problem = f"{name!r} is not another {model.entry.kind} model of this file; choose one of {known or 'none'}"
            raise EntryFieldError(model.id, "fallback", problem)


class LiveRegistry:
    """The registry that is served now; read again when its file, one of a secret, or one that a model needs changes."""

    def __init__(
        self,
        path: Path,
        offers: Mapping[str, Offer],
        http: UpstreamHttp,
        environ: Mapping[str, str],
    ) -> None:
        """Read it. Raises: RegistryError: it is wrong."""
        self._path, self._offers, self._http, self._environ = path, offers, http, environ
        self.now = load_registry(path, offers, http, environ)
        self._stamps = self._stamp_files()
        self.fault = ""

    def reload(self) -> bool:
        """Read the file again if it has changed. Return whether a new registry is served."""
        stamps = self._stamp_files()
        if stamps == self._stamps:
            return False
        self._stamps = stamps
        try:
            self.now = load_registry(self._path, self._offers, self._http, self._environ)
        except RegistryError as error:
            self.fault = str(error)
            log.error("the registry's file is wrong; the last valid one is still served", extra={"fault": str(error)})  # noqa: TRY400
            return False
        self.fault = ""
        self._stamps = {
            file: stamps.get(file, stamp) for file, stamp in self._stamp_files().items()
        }  # it may name others
        log.info("the registry was read again", extra={"models": len(self.now.all()), "digest": self.now.digest[:12]})
        return True

    async def follow(self, seconds: float) -> None:
        """Look for changes again and again, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(self.reload)

    def _stamp_files(self) -> dict[str, object]:
        """Return a value that changes with the files.

        A mounted secret is a link that is replaced, so its target counts.
        """
        files = [str(self._path)]
        files += [model.entry.secret.file for model in self.now.all() if model.entry.secret is not None]
        asking = [model.chat for model in self.now.all() if isinstance(model.chat, AskingModel)]
        files += [str(file) for model in asking for file in model.files]
        return {file: _stamp(file) for file in files if file}


def _stamp(file: str) -> object:
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
