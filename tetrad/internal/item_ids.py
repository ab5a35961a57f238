"""Ids of practice items: the whole identity, seed and index, packed, with a checksum. Nothing is remembered.

One item has one id. A text that decodes, but differs from what `item_id` writes, is refused, so that caches hold no
item twice.
"""

import base64
import binascii
import hashlib
import re
from typing import Any

import msgspec

from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import ParameterValue
from tetrad.internal.practice import PracticeItemRequest

PREFIX = "itm_"
CHECK_BYTES = 6  # against typing errors and guesses; it keeps no secret
LONGEST = 2000
HEX_DIGEST = re.compile(r"[0-9a-f]{64}")


class ItemIdError(ValueError):
    """The text is no id of a practice item."""


class _Packed(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    benchmark: str
    version: int
    bank: Any  # bytes for a digest, otherwise text: msgspec accepts no union of the two
    track: str
    setting: str
    parameters: dict[str, ParameterValue]
    seed: Any
    index: int


def item_id(identity: DrawIdentity, seed: str, index: int) -> str:
    """Return the id of item `index` of the draw: itm_ and URL-safe base64."""
    packed = _Packed(
        benchmark=identity.benchmark,
        version=identity.version,
        bank=_shorten(identity.bank),
        track=identity.track,
        setting=identity.setting,
        parameters=identity.parameters,
        seed=_shorten(seed),
        index=index,
    )
    body = msgspec.msgpack.encode(packed, order="sorted")
    return PREFIX + base64.urlsafe_b64encode(_checksum(body) + body).rstrip(b"=").decode()


def parse_item_id(text: str) -> PracticeItemRequest:
    """Return what the id stands for.

    Raises:
        ItemIdError: it stands for nothing.
    """
    if not text.startswith(PREFIX) or len(text) > LONGEST:
        raise ItemIdError("no item id begins or ends like this")
    coded = text.removeprefix(PREFIX)
    try:
        raw = base64.b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_", validate=True)
        packed = msgspec.msgpack.decode(raw[CHECK_BYTES:], type=_Packed)
    except (binascii.Error, ValueError) as error:  # msgspec's errors are ValueErrors, non-ASCII text too
        raise ItemIdError("this does not unpack") from error
    request = PracticeItemRequest(identity=_identity(packed), seed=_restore(packed.seed), index=packed.index)
    if packed.index < 0 or item_id(request.identity, request.seed, request.index) != text:
        raise ItemIdError("the checksum does not fit")
    return request


def _identity(packed: _Packed) -> DrawIdentity:
    return DrawIdentity(
        benchmark=packed.benchmark,
        version=packed.version,
        bank=_restore(packed.bank),
        track=packed.track,
        setting=packed.setting,
        parameters=packed.parameters,
    )


def _shorten(text: str) -> bytes | str:
    return bytes.fromhex(text) if HEX_DIGEST.fullmatch(text) else text


def _restore(short: object) -> str:
    if isinstance(short, bytes):
        return short.hex()
    if isinstance(short, str):
        return short
    raise ItemIdError("neither a digest nor a text")


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(b"tetrad/item-id/1" + body).digest()[:CHECK_BYTES]
