"""Models ready to be asked: what a provider offers, and how an entry of the registry is opened with it.

In order: offers, opened models, opening an entry, and the faults of fields that contradict each other or the offer.
"""

import hashlib
import ipaddress
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from inference_gateway.entries import Entry, EntryFieldError, EntryPrice, SecretReference
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
from inference_gateway.secret import Secret
from inference_gateway.upstream_http import Endpoint, Timeouts, UpstreamHttp
from tetrad.contracts.inference import (
    GatewayModel,
    ModelCapabilities,
    ModelLimits,
    ModelPrice,
    PictureLimits,
    Purpose,
)

STARTING_CALLS = 10  # at a time, of an upstream that has not shown yet what it takes
PURPOSES: tuple[Purpose, ...] = ("practice", "sealed", "judge")


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

    def listing(self) -> GatewayModel:
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


@dataclass
class Opening:
    """Opens entries: what their fields must satisfy together, then the provider's own checks."""

    offers: Mapping[str, Offer]
    http: UpstreamHttp
    variables: Mapping[str, str]

    def is_asking(self, entry: Entry) -> bool:
        """Say whether the models of an entry's provider ask those of other entries."""
        return entry.provider in self.offers and self.offers[entry.provider].asking is not None

    def open(self, name: str, entry: Entry, others: Mapping[str, Opened], folder: Path) -> Opened:
        """Open one; `others` are those that it may ask, and `folder` that of the registry.

        Raises:
            EntryFieldError: it is wrong.
        """
        if entry.provider not in self.offers:
            known = ", ".join(sorted(self.offers))
            raise EntryFieldError(name, "provider", f"{entry.provider!r} is unknown; choose one of {known}")
        offer = self.offers[entry.provider]
        entry = _with_known_price(name, entry, offer)
        asking_faults = () if offer.asking is None else _asking_faults(entry)
        for where, problem in (*_faults(entry, offer), *asking_faults):
            raise EntryFieldError(name, where, problem)
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
            raise EntryFieldError(name, f"options.{error.option}".rstrip("."), str(error)) from error
        model = chat or embedding
        parameters, modalities = offer.parameters, frozenset[str](offer.modalities)
        if isinstance(model, DescribedModel):
            parameters, modalities = model.parameters, model.modalities
        if unknown := set(entry.modalities or ()) - modalities:
            raise EntryFieldError(
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
            raise EntryFieldError(name, "secret", 'give one of the two: { variable = "NAME" } or { file = "/path" }')
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
            raise EntryFieldError(name, "secret", f"{where} holds no key; {remedy}")
        if not found.strip().isprintable() or not found.isascii():
            raise EntryFieldError(name, "secret", f"{where} holds more than one line of ASCII; put the key alone there")
        return Secret(found.strip())


def _embedding(opened: Mapping[str, Opened]) -> dict[str, frozenset[str]]:
    """Return what each embedding model takes, by id."""
    return {name: model.modalities for name, model in opened.items() if model.entry.kind == "embedding"}


def _with_known_price(name: str, entry: Entry, offer: Offer) -> Entry:
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
    identity = f"{entry.provider} {entry.address} {reference.variable} {reference.file}"
    account = entry.limits.account or f"{entry.provider}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}"
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


def _check_teams(name: str, entry: Entry, asked: Opened) -> None:
    """Check that no team reaches a model by another one that may not use it itself."""
    allowed = asked.entry.teams
    if allowed and not (entry.teams and set(entry.teams) <= set(allowed)):
        problem = f"{asked.id}, which is asked, is for {', '.join(allowed)} alone; give these teams or some of them"
        raise EntryFieldError(name, "teams", problem)


def _faults(entry: Entry, offer: Offer) -> Iterator[tuple[str, str]]:
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


def is_loopback(address: str) -> bool:
    """Say whether an address is one of this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
