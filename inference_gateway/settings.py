"""The gateway's settings: variables TETRAD_GATEWAY_*."""

from pathlib import Path
from typing import Annotated

import msgspec

from tetrad.server.settings import Settings, SettingsError

PREFIX = "TETRAD_GATEWAY"
SHIPPED_MODELS = Path(__file__).with_name("models.toml")
LEAST_TOKEN = 16


class GatewaySettings(Settings, frozen=True, kw_only=True):
    """`tokens`: those accepted, joined by commas: one for each caller, or an old and a new one while they change.

    `models_file`: the registry (TOML); empty for the shipped one. `body_limit_mib`: the largest request.
    `picture_pixels`: the largest picture of a message, told by its header before it is decoded.
    """

    tokens: str
    models_file: str = ""
    log_level: str = "INFO"
    body_limit_mib: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 64
    picture_pixels: Annotated[int, msgspec.Meta(ge=1)] = 4096 * 4096

    def accepted_tokens(self) -> tuple[str, ...]:
        """Return the tokens, one by one.

        Raises:
            SettingsError: there is none, or one is too short to be a secret.
        """
        tokens = tuple(token.strip() for token in self.tokens.split(","))
        if any(len(token) < LEAST_TOKEN for token in tokens):
            raise SettingsError(f"{PREFIX}_TOKENS: each token needs {LEAST_TOKEN} characters or more")
        return tokens

    def registry_file(self) -> Path:
        return Path(self.models_file) if self.models_file else SHIPPED_MODELS
