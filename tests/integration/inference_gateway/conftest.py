"""A gateway as a process of its own, with models at an upstream that misbehaves as it is told."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any

import httpx
import openai
import pytest
from PIL import Image

from tests.integration.inference_gateway.upstream import Upstream, running
from tests.serving import served
from tetrad.connections import LIMITS
from tetrad.prompting.conversation import picture_address
from tetrad.server.clock import now_ms
from tetrad.server.gateway_tokens import GatewayClaims, sign

SERVICE_TOKEN = "service-token-of-the-gateway"
PRACTICE_TOKEN = "practice-token-of-the-gateway"
LIST_TOKEN = "listing-token-of-the-api"
METRICS_TOKEN = "metrics-token-of-the-gateway"
CANARY = "sk-canary-4711-never-to-be-seen"
SIGNING_SECRET, LEDGER_TOKEN = "s" * 32, "l" * 32


@dataclass(frozen=True)
class Gateway:
    """The gateway's address, the file of its models, and its log."""

    url: str
    models: Path
    log: Path
    made: list[openai.OpenAI] = field(default_factory=list)

    def client(self, token: str = SERVICE_TOKEN, **options: object) -> openai.OpenAI:
        """Return the official client, retrying as it does by default."""
        settings = {"timeout": 20.0, **options}
        made = openai.OpenAI(base_url=f"{self.url}/v1", api_key=token, **settings)  # type: ignore[arg-type]
        self.made.append(made)
        return made

    def http(self, token: str = SERVICE_TOKEN) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, limits=LIMITS)


@pytest.fixture(scope="session")
def misbehaving() -> Iterator[Upstream]:
    with running() as upstream:
        yield upstream


@pytest.fixture
def upstream(misbehaving: Upstream) -> Upstream:
    misbehaving.reset()
    return misbehaving


SHIPPED = """
[constant]
provider = "in-process"
kind = "chat"
title = "Constant"
options = { solver = "constant" }

[random]
provider = "in-process"
kind = "chat"
title = "Random"
options = { solver = "random" }

[pixel-statistics]
provider = "in-process"
kind = "embedding"
title = "Pixel statistics"
modalities = ["image"]
options = { embedder = "pixel-statistics" }
"""


def registry(url: str) -> str:
    """Return models at this address: one for each shape and each bound that tests look at."""
    return SHIPPED + dedent(f"""
        [far]
        provider = "openai"
        kind = "chat"
        title = "Far"
        address = "{url}/v1"
        upstream = "upstream-model"
        secret = {{ variable = "CANARY_KEY" }}
        context = 8192
        output_cap = 64
        training = "never"
        pictures = {{ most = 3, side = 128, tokens = 300, detail = "low" }}
        timeouts = {{ connect = 1, read = 1.5, total = 4 }}

        [dear]
        provider = "openai"
        kind = "chat"
        title = "Dear"
        address = "{url}/v1"
        upstream = "upstream-model"
        context = 262144
        output_cap = 64
        training = "never"
        pictures = {{ tokens = 300 }}
        price = {{ input = 1.5, output = 6.0, source = "a test", date = "2026-11-01" }}

        [blind]
        provider = "openai"
        kind = "chat"
        title = "Blind"
        address = "{url}/v1"
        training = "never"
        modalities = ["text"]
        unsupported = ["seed", "response_format"]

        [learner]
        provider = "openai"
        kind = "chat"
        title = "Learner: nobody knows whether its provider trains"
        address = "{url}/v1"

        [words]
        provider = "openai"
        kind = "embedding"
        title = "Words"
        address = "{url}/v1"
        modalities = ["text"]
        training = "never"

        [claude]
        provider = "anthropic"
        kind = "chat"
        title = "Claude"
        address = "{url}/anthropic/v1"
        upstream = "claude-x"
        secret = {{ variable = "CANARY_KEY" }}
        output_cap = 64
        training = "never"

        [gemini]
        provider = "gemini"
        kind = "chat"
        title = "Gemini"
        address = "{url}/gemini/v1beta"
        upstream = "gemini-x"
        secret = {{ variable = "CANARY_KEY" }}
        output_cap = 64
        training = "never"

        [gemini-words]
        provider = "gemini"
        kind = "embedding"
        title = "Gemini's embeddings"
        address = "{url}/gemini/v1beta"
        secret = {{ variable = "CANARY_KEY" }}
        modalities = ["text"]
        training = "never"
        """)


@contextmanager
def gateway_with(folder: Path, models: str, **environment: str) -> Iterator[Gateway]:
    """Serve a gateway with these models."""
    file, log = folder / "models.toml", folder / "gateway.log"
    file.write_text(models)
    variables = {
        "TETRAD_GATEWAY_TOKENS": f"{SERVICE_TOKEN},practice:{PRACTICE_TOKEN},list:{LIST_TOKEN}",
        "TETRAD_GATEWAY_MODELS_FILE": str(file),
        "TETRAD_GATEWAY_RELOAD_SECONDS": "0.1",
        "TETRAD_GATEWAY_WAIT_SECONDS": "5",
        "TETRAD_GATEWAY_ATTEMPTS": "3",
        "TETRAD_GATEWAY_METRICS_TOKEN": METRICS_TOKEN,
        "CANARY_KEY": CANARY,
        **environment,
    }
    with log.open("wb") as target, served("inference_gateway.app:create_app", variables, log=target) as process:
        yield Gateway(process.url, file, log)


def signing(api: str, **more: str) -> dict[str, str]:
    """Return the settings of a gateway that takes signed tokens, and asks the api at this address for revoked ones."""
    settings = {"TOKEN_SECRETS": SIGNING_SECRET, "API_URL": api, "LEDGER_TOKEN": LEDGER_TOKEN, **more}
    return {f"TETRAD_GATEWAY_{name}": value for name, value in settings.items()}


def signed_token(name: str, **claims: Any) -> str:
    fields: dict[str, Any] = {"team": "team-one", "team_id": "team_one", "expires_at": now_ms() + 60_000, **claims}
    return sign(GatewayClaims(id=name, **fields), SIGNING_SECRET)


@pytest.fixture(scope="package")
def shared_gateway(misbehaving: Upstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with gateway_with(tmp_path_factory.mktemp("gateway"), registry(misbehaving.url)) as gateway:
        yield gateway
        assert CANARY not in gateway.log.read_text(), "a provider's key is in the log"


@pytest.fixture
def gateway(shared_gateway: Gateway, upstream: Upstream) -> Iterator[Gateway]:
    """Give the gateway that tests share, with an upstream that has forgotten what it was told before."""
    yield shared_gateway
    while shared_gateway.made:
        shared_gateway.made.pop().close()


@pytest.fixture
def picture() -> Callable[[int, int], str]:
    """Return a maker of PNG pictures as data: addresses."""

    def make(width: int, height: int) -> str:
        buffer = io.BytesIO()
        Image.new("RGB", (width, height), (200, 30, 30)).save(buffer, "PNG")
        return picture_address(buffer.getvalue())

    return make
