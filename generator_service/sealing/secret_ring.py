"""The instance's seed secrets: the first seals new draws, the others are kept for draws sealed with them."""

import hashlib
from dataclasses import dataclass

from generator_service.draws import sealed_seed
from tetrad.canonical import canonical_bytes

ID_DIGITS = 16


class MissingSecretError(Exception):
    """Draws are open whose secret is not among those of TETRAD_GENERATOR_SEED_SECRET."""


def secret_id(secret: str) -> str:
    """Return a secret's public id: 16 hex digits of a digest of its 256 bits."""
    return hashlib.sha256(canonical_bytes("tetrad/secret/1", secret)).hexdigest()[:ID_DIGITS]


@dataclass(frozen=True)
class SecretRing:
    """Secrets by id, the current one first."""

    secrets: dict[str, bytes]

    @classmethod
    def read(cls, setting: str) -> "SecretRing":
        """Return the ring in TETRAD_GENERATOR_SEED_SECRET: secrets joined by commas, the newest first."""
        return cls({secret_id(secret): secret.encode() for secret in setting.split(",")})

    @property
    def current(self) -> str:
        return next(iter(self.secrets))

    @property
    def ids(self) -> list[str]:
        return list(self.secrets)

    def seed(self, secret: str, submission: str, nonce: str) -> str:
        """Return the seed of the submission's draw under the secret of this id.

        Raises:
            MissingSecretError: the secret is not here.
        """
        if secret not in self.secrets:
            raise MissingSecretError(f"this draw needs seed secret {secret}, which is not loaded")
        return sealed_seed(self.secrets[secret], submission, nonce)
