"""One Triton and one gateway in front of it for all tests of this folder, on one worker of pytest-xdist."""

import base64
import io
import logging
from collections.abc import Iterator
from textwrap import dedent

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from tests.integration.inference_gateway.conftest import Gateway, gateway_with
from tests.triton import Triton, built, serving

log = logging.getLogger(__name__)


@pytest.fixture(scope="session")
def triton(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Triton]:
    with serving(built(tmp_path_factory.mktemp("triton") / "models")) as server:
        yield server


@pytest.fixture(autouse=True)
def _alive(request: pytest.FixtureRequest) -> None:
    """Start the shared server again where it ended after the last test.

    Seen once: it ended with signal 11 between two modules. Its gRPC front end is known to, rarely
    (triton-inference-server/server, issue 7472). In a deployment its container is started again, too.
    """
    if "triton" in request.fixturenames and request.getfixturevalue("triton").revive():
        log.warning("Triton had crashed after the test before %s, and was started again", request.node.name)


def models(address: str) -> str:
    """Return the registry of deploy/triton's repository at this address."""
    return dedent(f"""
        [lite2]
        provider = "triton"
        kind = "embedding"
        title = "EfficientNet-Lite2"
        address = "{address}"
        upstream = "efficientnet_lite2"
        options = {{ picture = {{ fit = "crop" }} }}

        [labels]
        provider = "triton"
        kind = "chat"
        title = "EfficientNet-Lite2, its labels"
        address = "{address}"
        upstream = "efficientnet_lite2"
        options = {{ task = "classify", classes = 3 }}

        [towers]
        provider = "triton"
        kind = "embedding"
        title = "Two towers"
        address = "{address}"
        [towers.options]
        picture = {{ model = "picture_tower" }}
        text = {{ model = "text_tower" }}

        [analogist]
        provider = "triton"
        kind = "chat"
        title = "Analogist"
        address = "{address}"
        output_cap = 64

        [analogist-streaming]
        provider = "triton"
        kind = "chat"
        title = "Analogist, word by word"
        address = "{address}"
        upstream = "analogist_streaming"
        output_cap = 64
        timeouts = {{ connect = 2, read = 3, total = 10 }}
        """)


@pytest.fixture(scope="session")
def gateway(triton: Triton, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with gateway_with(tmp_path_factory.mktemp("gateway"), models(triton.address)) as gateway:
        yield gateway
        for client in gateway.made:
            client.close()


def address_of(pixels: npt.NDArray[np.uint8], kind: str = "PNG") -> str:
    """Return a picture as a data: address."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind)
    return f"data:image/{kind.lower()};base64,{base64.b64encode(buffer.getvalue()).decode()}"


def plain(color: tuple[int, int, int], side: int = 32) -> str:
    """Return a picture of one colour."""
    return address_of(np.full((side, side, 3), color, np.uint8))
