"""The models this gateway serves, from one TOML file, each opened with its provider.

In order: entries, opened models, reading the file, and reading it again while it is served. An error names the file,
the line, the entry and the field. Secrets are references, to a variable or a file.
"""

import asyncio
import hashlib
import ipaddress
import logging
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from inference_gateway.gates import Price, Upstream
from inference_gateway.prices import known_price
from inference_gateway.providers import (
    CHAT_PARAMETERS,
    AskingModel,
    ChatModel,
    DescribedModel,
    EmbeddingModel,
    Neighbours,
    OptionsError,
    Provider,
    SizedEmbeddingModel,
    StreamingModel,
)
from inference_gateway.upstream_http import Endpoint, Secret, Timeouts, UpstreamHttp
from tetrad.contracts.inference import (
    GatewayModel,
    ModelCapabilities,
    ModelLimits,
    ModelPrice,
    PictureLimits,
    Purpose,
)

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}")
_PLACE = re.compile(r"`\$\.?([^`]*)`")
STARTING_CALLS = 10  # at a time, of an upstream that has not shown yet what it takes
Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
Dollars: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=3600)]
NOTHING: Mapping[str, str] = MappingProxyType({})
PURPOSES: tuple[Purpose, ...] = ("practice", "sealed", "judge")
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


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file: an unknown field is a mistake."""


class SecretReference(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The place of a provider's key: an environment variable or a file, one of the two."""

    variable: str = ""
    file: str = ""


class PictureBounds(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a model: pictures in a request, bytes and the longer side of each.

    `tokens`: the most that one costs.

    `detail` is sent with pictures that have none.
    """

    most: Positive | None = None
    bytes: Positive | None = None
    side: Positive | None = None
    tokens: Positive | None = None
    detail: Literal["auto", "low", "high"] | None = None


class EntryPrice(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens; with source and date of the figures."""

    input: Dollars
    output: Dollars = 0.0
    cached_input: Dollars | None = None
    source: str
    date: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class EntryLimits(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of the upstream. Models of one `account` share their limits; by default one address and key.

    `start`: the concurrent calls that it takes at first, 10 by default; more are let through once these succeeded.
    """

    requests_per_minute: Positive | None = None
    tokens_per_minute: Positive | None = None
    concurrency: Positive = 100
    start: Positive | None = None
    account: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._-]{0,64}$")] = ""


class EntryTimeouts(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    connect: Seconds = 5.0
    read: Seconds = 120.0
    total: Seconds = 600.0


class Entry(_Part, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of the file; `options` are the provider's own. docs/models.md tells of each field."""

    provider: str
    kind: Literal["chat", "embedding"]
    title: str
    options: dict[str, object] = {}
    address: str = ""
    private: bool = False
    proxy: str = ""
    upstream: str = ""
    release: str = ""
    secret: SecretReference | None = None
    modalities: list[Literal["text", "image"]] | None = None
    unsupported: list[str] = []
    context: Positive | None = None
    output_cap: Positive | None = None
    pictures: PictureBounds = PictureBounds()
    price: EntryPrice | None = None
    limits: EntryLimits = EntryLimits()
    timeouts: EntryTimeouts = EntryTimeouts()
    fallback: list[str] = []
    training: Literal["never", "trains", "unknown"] = "unknown"
    allow_sealed: bool = False
    teams: list[str] = []


@dataclass(frozen=True, kw_only=True)
class Offer:
    """A provider that entries may name, of three sorts.

    One is there (`local`), one is opened at an address (`remote`), and models of one ask another entry (`asking`).

    `parameters`: fields of a chat request that its models honour. `modalities`: what they take unless an entry says
    otherwise. A DescribedModel says both itself. `schemes`: of addresses, encrypted and plain. `is_ours`: its models
    run on our own machines, so nobody trains on the requests, and nobody sends a bill.
    """

    local: Provider | None = None
    remote: Callable[[Endpoint], Provider] | None = None
    asking: Callable[[Mapping[str, object], Neighbours], AskingModel] | None = None
    parameters: frozenset[str] = CHAT_PARAMETERS
    modalities: tuple[Literal["text", "image"], ...] = ("text", "image")
    schemes: tuple[str, str] = ("https", "http")
    is_ours: bool = False


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A model, ready to be asked, and the facts that the gateway checks requests by.

    `asked`: the embedding model that it asks. What a call costs, and who may train on it, are facts of that one.
    """

    id: str
    entry: Entry
    chat: ChatModel | AskingModel | None
    embedding: EmbeddingModel | None
    parameters: frozenset[str]
    modalities: frozenset[str]
    price: Price | None
    upstream: Upstream
    is_ours: bool
    asked: "Opened | None" = None

    @property
    def purposes(self) -> tuple[Purpose, ...]:
        """Return the allowed purposes of calls. Providers who may train on requests get practice calls only."""
        if self.asked is not None:
            return self.asked.purposes
        is_safe = self.is_ours or self.entry.training == "never" or self.entry.allow_sealed
        return PURPOSES if is_safe else ("practice",)

    @property
    def release(self) -> str:
        """Return the maker's name of the model, which identifies the same model at another address."""
        return self.entry.release or self.entry.upstream or self.id

    def listed(self) -> GatewayModel:
        """Return the model as the listing shows it: no address, no name of a secret."""
        entry, limits, pictures = self.entry, self.entry.limits, self.entry.pictures
        model = self.chat or self.embedding
        bounds = PictureLimits(most=pictures.most, bytes=pictures.bytes, side=pictures.side, detail=pictures.detail)
        dimensions: list[str] = ["dimensions"] if isinstance(model, SizedEmbeddingModel) else []
        paid = entry if self.asked is None else self.asked.entry
        return GatewayModel(
            id=self.id,
            provider=entry.provider,
            kind=entry.kind,
            title=entry.title,
            capabilities=ModelCapabilities(
                modalities=sorted(self.modalities),
                streaming=isinstance(model, StreamingModel),
                parameters=sorted(self.parameters) if entry.kind == "chat" else dimensions,
            ),
            price=None if paid.price is None else _listed_price(paid.price),
            limits=ModelLimits(
                context=entry.context,
                output=entry.output_cap,
                requests_per_minute=limits.requests_per_minute,
                tokens_per_minute=limits.tokens_per_minute,
                concurrency=None if self.is_ours else limits.concurrency,
                pictures=bounds if "image" in self.modalities else None,
            ),
            training="never" if self.is_ours else paid.training,
            purposes=list(self.purposes),
        )


class Registry:
    """Every model by id, ready to be asked. It never changes: reading the file again makes another one."""

    def __init__(self, opened: Mapping[str, Opened], digest: str = "") -> None:
        self._opened = opened
        self.digest = digest

    def chat(self, model: str) -> Opened:
        """Return the chat model of this id; UnknownModelError when there is none."""
        return self._found(model, "chat")

    def embedding(self, model: str) -> Opened:
        """Return the embedding model of this id; UnknownModelError when there is none."""
        return self._found(model, "embedding")

    def model(self, model: str) -> Opened:
        """Return the model of this id, of any kind; UnknownModelError when there is none."""
        if model not in self._opened:
            raise UnknownModelError(model, "chat or embedding", sorted(self._opened))
        return self._opened[model]

    def all(self) -> list[Opened]:
        """Return every model, in the file's order."""
        return list(self._opened.values())

    def fallbacks(self, model: Opened, purpose: Purpose) -> list[Opened]:
        """Return the models that may answer in a model's place. For calls that are scored, only the same release."""
        found = [self._opened[name] for name in model.entry.fallback]
        return [one for one in found if purpose == "practice" or one.release == model.release]

    def _found(self, model: str, kind: Literal["chat", "embedding"]) -> Opened:
        if model not in self._opened or self._opened[model].entry.kind != kind:
            known = sorted(name for name, one in self._opened.items() if one.entry.kind == kind)
            raise UnknownModelError(model, kind, known)
        return self._opened[model]


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
    opening = _Opening(offers, http or UpstreamHttp(), environ)
    opened: dict[str, Opened] = {}
    try:
        entries = {name: _entry(name, table) for name, table in tables.items()}
        for name, entry in sorted(entries.items(), key=lambda one: opening.is_asking(one[1])):  # others come first
            opened[name] = opening.opened(name, entry, opened, path.parent)
        opened = {name: opened[name] for name in entries}
        for one in opened.values():
            _check_fallbacks(one, opened)
    except _FieldError as error:
        line = line_of(text, error.entry, error.field)
        raise RegistryError(
            f"{path}, line {line}: [{error.entry}] {error.field}: {error}".replace(" :", ":")
        ) from error
    return Registry(opened, _digest(text, opened))


def _digest(text: str, opened: Mapping[str, Opened]) -> str:
    """Return the digest of the file, and of the files that models were opened with: replies depend on them."""
    digests = [one.chat.digest for one in opened.values() if isinstance(one.chat, AskingModel) and one.chat.files]
    return hashlib.sha256("\n".join([text, *digests]).encode()).hexdigest()


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
        self._stamps = self._seen()
        self.fault = ""

    def reload(self) -> bool:
        """Read the file again if it has changed. Return whether a new registry is served."""
        stamps = self._seen()
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
        self._stamps = {file: stamps.get(file, stamp) for file, stamp in self._seen().items()}  # it may name others
        log.info("the registry was read again", extra={"models": len(self.now.all()), "digest": self.now.digest[:12]})
        return True

    async def follow(self, seconds: float) -> None:
        """Look for changes again and again, until cancelled."""
        while True:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(self.reload)

    def _seen(self) -> dict[str, object]:
        """Return a value that changes with the files.

        A mounted secret is a link that is replaced, so its target counts.
        """
        files = [str(self._path)]
        files += [one.entry.secret.file for one in self.now.all() if one.entry.secret is not None]
        asking = [one.chat for one in self.now.all() if isinstance(one.chat, AskingModel)]
        files += [str(file) for one in asking for file in one.files]
        return {file: _stamp(file) for file in files if file}


def _stamp(file: str) -> object:
    try:
        found = Path(file).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class _FieldError(Exception):
    """A field of an entry is wrong."""

    def __init__(self, entry: str, field: str, problem: str) -> None:
        super().__init__(problem)
        self.entry = entry
        self.field = field


def line_of(text: str, entry: str, field: str) -> int:
    """Return the line of a field in the file, counted from 1; without it the line of the entry's own header."""
    quoted = rf"""(?:{re.escape(entry)}|"{re.escape(entry)}"|'{re.escape(entry)}')"""
    head, *rest = field.split(".")
    inside = re.compile(rf"^\s*\[\s*{quoted}\s*\.\s*{re.escape(head)}\b")
    own = re.compile(rf"^\s*\[\s*{quoted}\s*\]")
    any_header, key = re.compile(r"^\s*\["), re.compile(rf"^\s*{re.escape(head)}\b\s*[.=]")
    sub = re.compile(rf"^\s*{re.escape(rest[0])}\b\s*[.=]") if rest else None
    found, place = 1, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if any_header.match(line):
            place = "entry" if own.match(line) else "inside" if inside.match(line) else ""
            if place == "entry" or (place == "inside" and head):
                found = number
        elif (place == "entry" and head and key.match(line)) or (place == "inside" and sub and sub.match(line)):
            return number
    return found


def _entry(name: str, table: object) -> Entry:
    if not _ID.fullmatch(name):
        raise _FieldError(name, "", "an id is 1 to 64 letters, digits and . _ : / -, the first a letter or digit")
    try:
        return msgspec.convert(table, Entry)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        known = ", ".join(Entry.__struct_fields__)
        raise _FieldError(name, place[1] if place else "", f"{error}; an entry has {known}") from error


def _check_fallbacks(model: Opened, opened: Mapping[str, Opened]) -> None:
    for name in model.entry.fallback:
        if name == model.id or name not in opened or opened[name].entry.kind != model.entry.kind:
            known = ", ".join(one.id for one in opened.values() if one.entry.kind == model.entry.kind and one != model)
            problem = f"{name!r} is not another {model.entry.kind} model of this file; choose one of {known or 'none'}"
            raise _FieldError(model.id, "fallback", problem)


@dataclass
class _Opening:
    """Opens entries: what their fields must satisfy together, then the provider's own checks."""

    offers: Mapping[str, Offer]
    http: UpstreamHttp
    variables: Mapping[str, str]

    def is_asking(self, entry: Entry) -> bool:
        """Say whether the models of an entry's provider ask those of other entries."""
        return entry.provider in self.offers and self.offers[entry.provider].asking is not None

    def opened(self, name: str, entry: Entry, others: Mapping[str, Opened], folder: Path) -> Opened:
        """Open one; `others` are those that it may ask, and `folder` that of the registry.

        Raises:
            _FieldError: it is wrong.
        """
        if entry.provider not in self.offers:
            known = ", ".join(sorted(self.offers))
            raise _FieldError(name, "provider", f"{entry.provider!r} is unknown; choose one of {known}")
        offer = self.offers[entry.provider]
        entry = _priced(name, entry, offer)
        asking_faults = () if offer.asking is None else _asking_faults(entry)
        for where, problem in (*self._faults(entry, offer), *asking_faults):
            raise _FieldError(name, where, problem)
        chat: ChatModel | AskingModel | None = None
        embedding: EmbeddingModel | None = None
        try:
            if offer.asking is not None:
                chat = offer.asking(entry.options, Neighbours(folder=folder, embedding=_embedding(others)))
            elif entry.kind == "chat":
                chat = self._provider(name, entry, offer).open_chat(entry.options)
            else:
                embedding = self._provider(name, entry, offer).open_embedding(entry.options)
        except OptionsError as error:
            raise _FieldError(name, f"options.{error.option}".rstrip("."), str(error)) from error
        model = chat or embedding
        parameters, modalities = offer.parameters, frozenset[str](offer.modalities)
        if isinstance(model, DescribedModel):
            parameters, modalities = model.parameters, model.modalities
        if unknown := set(entry.modalities or ()) - modalities:
            raise _FieldError(
                name, "modalities", f"{', '.join(unknown)} is not a parameter that the model's options support"
            )
        asked = others[chat.asked] if isinstance(chat, AskingModel) else None
        if asked is not None:
            _check_teams(name, entry, asked)
        return Opened(
            id=name,
            entry=entry,
            chat=chat,
            embedding=embedding,
            parameters=parameters - frozenset(entry.unsupported),
            modalities=frozenset(entry.modalities or modalities),
            price=_price(entry.price),
            upstream=_upstream(entry, is_here=offer.remote is None),
            is_ours=asked.is_ours if asked is not None else offer.remote is None or offer.is_ours,
            asked=asked,
        )

    def _provider(self, name: str, entry: Entry, offer: Offer) -> Provider:
        if offer.remote is None:
            assert offer.local is not None  # noqa: S101 - an offer is one or the other
            return offer.local
        times = Timeouts(connect=entry.timeouts.connect, read=entry.timeouts.read, total=entry.timeouts.total)
        return offer.remote(
            Endpoint(
                address=entry.address.rstrip("/"),
                name=entry.upstream or name,
                http=self.http,
                secret=self._secret(name, entry.secret),
                timeouts=times,
                output_cap=entry.output_cap,
                proxy=entry.proxy or None,
            )
        )

    def _secret(self, name: str, reference: SecretReference | None) -> Secret:
        if reference is None:
            return Secret("")
        if bool(reference.variable) == bool(reference.file):
            raise _FieldError(name, "secret", 'give one of the two: { variable = "NAME" } or { file = "/path" }')
        if reference.variable:
            found = self.variables.get(reference.variable, "")
            where, remedy = f"variable {reference.variable}", "set it for the gateway's process"
        else:
            where, remedy = f"file {reference.file}", "put the key into it, readable for the gateway alone"
            try:
                found = Path(reference.file).read_text("utf-8")
            except (OSError, UnicodeDecodeError):
                found = ""
        if not found.strip():
            raise _FieldError(name, "secret", f"{where} holds no key; {remedy}")
        if not found.strip().isprintable() or not found.isascii():
            raise _FieldError(name, "secret", f"{where} holds more than one line of ASCII; put the key alone there")
        return Secret(found.strip())

    def _faults(self, entry: Entry, offer: Offer) -> Iterator[tuple[str, str]]:
        """Yield the fields that contradict others, each with its problem and remedy."""
        if unknown := set(entry.unsupported) - CHAT_PARAMETERS:
            known = ", ".join(sorted(CHAT_PARAMETERS))
            yield "unsupported", f"{', '.join(sorted(unknown))} is not a parameter of chat requests; use {known}"
        most = entry.limits.concurrency
        if (start := entry.limits.start) is not None and start > most:
            yield "limits.start", f"{start} is more than limits.concurrency, which is {most}; give {most} or less"
        if offer.remote is None:
            for name in ("address", "proxy", "upstream"):
                if getattr(entry, name):
                    yield name, f"has no effect with {entry.provider}, whose models run in the gateway; leave it out"
            return
        yield from _reached_faults(entry, offer)
        if entry.price is None and not (entry.private or offer.is_ours or is_loopback(entry.address)):
            yield "price", "is missing; calls of a public address cost something: give input, output, source and date"
        if entry.price is None:
            return
        if entry.kind == "chat" and entry.output_cap is None:
            yield (
                "output_cap",
                "is missing; without it the highest cost of a call is unknown; give a number of tokens",
            )
        takes_pictures = "image" in (entry.modalities or offer.modalities)
        if entry.kind == "chat" and takes_pictures and entry.pictures.tokens is None:
            yield "pictures.tokens", 'is missing; give the most that a picture costs, or modalities = ["text"]'


def _embedding(opened: Mapping[str, Opened]) -> dict[str, frozenset[str]]:
    """Return what each embedding model takes, by id."""
    return {name: one.modalities for name, one in opened.items() if one.entry.kind == "embedding"}


def _asking_faults(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield the fields of an entry that asks another one which belong to that other entry."""
    if entry.kind != "chat":
        yield "kind", f'"{entry.kind}" is not what {entry.provider} offers; its models are of kind "chat"'
    given = {
        "price": entry.price is not None,
        "secret": entry.secret is not None,
        "fallback": bool(entry.fallback),
        "training": entry.training != "unknown",
        "allow_sealed": entry.allow_sealed,
    }
    for name in (name for name, is_given in given.items() if is_given):
        yield name, f"has no effect with {entry.provider}; give it to the entry of the model that is asked"


def _check_teams(name: str, entry: Entry, asked: Opened) -> None:
    """Check that no team reaches a model by another one that may not use it itself."""
    allowed = asked.entry.teams
    if allowed and not (entry.teams and set(entry.teams) <= set(allowed)):
        problem = f"{asked.id}, which is asked, is for {', '.join(allowed)} alone; give these teams or some of them"
        raise _FieldError(name, "teams", problem)


def is_loopback(address: str) -> bool:
    """Say whether an address is one of this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _priced(name: str, entry: Entry, offer: Offer) -> Entry:
    """Return the entry. If it gives no price and the published one is known, fill that in."""
    if entry.price is not None or offer.remote is None or entry.private:
        return entry
    known = known_price(entry.address, entry.upstream or name)
    if known is None:
        return entry
    price = EntryPrice(
        input=known.input,
        output=known.output,
        cached_input=known.cached_input,
        source=known.source,
        date=known.date,
    )
    return msgspec.structs.replace(entry, price=price)


def _reached_faults(entry: Entry, offer: Offer) -> Iterator[tuple[str, str]]:
    """Yield the faults of the address and the proxy."""
    yield from _address_faults("address", entry.address, offer.schemes, is_private=entry.private)
    if entry.proxy and "https" not in offer.schemes:
        yield "proxy", f"has no effect with {entry.provider}, which uses no proxy; leave it out"
    elif entry.proxy:
        yield from _address_faults("proxy", entry.proxy, ("https", "http"), is_private=True)


def _address_faults(
    where: str, address: str, schemes: tuple[str, str], *, is_private: bool
) -> Iterator[tuple[str, str]]:
    encrypted, plain = schemes
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        example = "https://api.example.org/v1" if encrypted == "https" else f"{plain}://127.0.0.1:8001"
        yield where, f"{address!r} is not an address; give one like {example}"
        return
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        yield where, "holds a user, a query or a fragment; a key goes to `secret`, and Azure's version to `options`"
    elif encrypted != "https" and (parts.path or parts.port is None):
        yield where, f"{address!r} needs a port and no path; give one like {plain}://127.0.0.1:8001"
    elif parts.scheme == plain and not is_private and not is_loopback(address):
        yield (
            where,
            f"{address!r} is not encrypted; use {encrypted}, or set private = true for an address of your own network",
        )


def _price(price: EntryPrice | None) -> Price | None:
    if price is None:
        return None
    cached = None if price.cached_input is None else Decimal(str(price.cached_input))
    return Price(input=Decimal(str(price.input)), output=Decimal(str(price.output)), cached_input=cached)


def _listed_price(price: EntryPrice) -> ModelPrice:
    return ModelPrice(
        input=price.input,
        output=price.output,
        cached_input=price.cached_input,
        source=price.source,
        date=price.date,
    )


def _upstream(entry: Entry, *, is_here: bool) -> Upstream:
    reference = entry.secret or SecretReference()
    told = f"{entry.provider} {entry.address} {reference.variable} {reference.file}"
    account = entry.limits.account or f"{entry.provider}-{hashlib.sha256(told.encode()).hexdigest()[:12]}"
    most = entry.limits.concurrency
    start = entry.limits.start or min(STARTING_CALLS, most)
    return Upstream(
        account=account,
        requests_per_minute=entry.limits.requests_per_minute,
        tokens_per_minute=entry.limits.tokens_per_minute,
        start_permits=most if is_here else start,
        most_permits=most,
        local_permits=most if is_here else min(4, most),
    )
