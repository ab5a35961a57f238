"""The header, and the place a reply is kept under: one for each credential, route and key."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from litestar import Request

from tetrad.canonical import hexdigest
from tetrad.server.problems import refuse
from tetrad.server.tokens import bearer_token

HEADER = "Idempotency-Key"
LEGAL = re.compile(r"[\x21-\x7e]{1,255}")
LEAST_LENGTH_WITHOUT_CREDENTIAL = 22  # characters: a UUID has 32 or 36, 128 random bits in base64 have 22


@dataclass(frozen=True)
class ClientKey:
    """`place` finds the reply, `secret` (32 bytes, never stored) reads it, `fingerprint` tells another body."""

    place: str
    secret: bytes
    fingerprint: str


def client_key(request: Request[Any, Any, Any], address: str, body: bytes) -> ClientKey | None:
    """Return the key of the request, or None where it has none.

    With a credential the secret comes from it and the key, without one from the key alone: that one has to be long.

    Raises:
        ProblemError: 422, it is no key, or too short where it alone protects what is kept.
    """
    sent = request.headers.get(HEADER)
    if sent is None:
        return None
    key = _unquoted(sent)
    token = bearer_token(request)
    if not LEGAL.fullmatch(key):
        raise refuse(422, HEADER, sent, "is not 1 to 255 visible ASCII characters", "send a new UUID for each creation")
    if token is None and len(key) < LEAST_LENGTH_WITHOUT_CREDENTIAL:
        problem = f"is shorter than {LEAST_LENGTH_WITHOUT_CREDENTIAL} characters, and it alone protects the reply"
        raise refuse(422, HEADER, sent, problem, "send a new UUID for each creation")
    who = f"address {address}" if token is None else f"token {hashlib.sha256(token.encode()).hexdigest()}"
    place = hexdigest("tetrad/idempotency/1", who, request.method, request.url.path, key)
    derive = HKDF(algorithm=SHA256(), length=32, salt=bytes.fromhex(place), info=b"tetrad/kept-reply/1")
    secret = derive.derive(f"{token or ''}\n{key}".encode())
    return ClientKey(place, secret, _fingerprint(secret, request, body))


def _fingerprint(secret: bytes, request: Request[Any, Any, Any], body: bytes) -> str:
    """Return what tells one body from another, and nothing to whoever only reads the table."""
    asked = f"{request.headers.get('content-type', '')}\n{request.url.query}\n".encode() + body
    return hmac.new(secret, asked, hashlib.sha256).hexdigest()


def _unquoted(sent: str) -> str:
    """Return the key; the draft writes it as a quoted string, most clients without quotes."""
    text = sent.strip()
    return text[1:-1] if len(text) > 2 and text[0] == text[-1] == '"' else text  # noqa: PLR2004 -- two quotes
