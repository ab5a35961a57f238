"""Pictures within a model's limits, and what is kept of those that were made smaller."""

import asyncio
import base64
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from inference_gateway.entries import PictureBounds
from inference_gateway.pictures import Fitted, Fitting, Shown, see
from tetrad.contracts.inference import ImageAddress
from tetrad.prompting.conversation import picture_address
from tetrad.solvers.pictures import PictureError


def noise(width: int, height: int, seed: int = 0) -> str:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    buffer = BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return picture_address(buffer.getvalue())


def fit(fitting: Fitting, bounds: PictureBounds, *addresses: ImageAddress) -> list[Fitted]:
    async def run() -> list[Fitted]:
        seen = await see([Shown(f"[{at}]", one) for at, one in enumerate(addresses)], largest_pixels=10**6)
        return await fitting.fit(seen, bounds, largest_pixels=10**6)

    return asyncio.run(run())


def size_of(address: str) -> tuple[int, int]:
    return Image.open(BytesIO(base64.b64decode(address.partition(",")[2]))).size


def test_a_picture_that_was_made_smaller_is_kept_by_its_digest_and_the_bounds() -> None:
    fitting, large = Fitting(), noise(200, 100)
    bounds = PictureBounds(side=50, detail="low")
    (first,) = fit(fitting, bounds, ImageAddress(url=large))
    asked = ImageAddress(url=noise(200, 100), detail="high")
    again, other = fit(fitting, bounds, asked, ImageAddress(url=noise(200, 100, seed=1)))
    assert again.address.url is first.address.url, "an equal picture is not made smaller again"
    assert (first.sent.detail, again.sent.detail) == ("low", "high")
    assert other.address.url != first.address.url
    (smaller,) = fit(fitting, PictureBounds(side=25), ImageAddress(url=large))
    assert [size_of(one.address.url) for one in (first, smaller)] == [(50, 25), (25, 12)]


def test_what_is_kept_is_bounded_in_bytes() -> None:
    bounds, large = PictureBounds(side=50), ImageAddress(url=noise(200, 100))
    (fitted,) = fit(Fitting(), bounds, large)
    tight = Fitting(len(fitted.address.url) - 1)
    assert fit(tight, bounds, large)[0].address.url is not fit(tight, bounds, large)[0].address.url
    roomy = Fitting(len(fitted.address.url))
    assert fit(roomy, bounds, large)[0].address.url is fit(roomy, bounds, large)[0].address.url


@pytest.mark.parametrize("width", [64, 65, 66, 300])
def test_bytes_are_those_of_the_file(width: int) -> None:
    address = noise(width, 40)
    (fitted,) = fit(Fitting(), PictureBounds(), ImageAddress(url=address))
    assert fitted.sent.bytes == len(base64.b64decode(address.partition(",")[2]))
    assert fitted.address.url is address


def test_a_bound_in_bytes_holds_or_the_picture_is_refused() -> None:
    (fitted,) = fit(Fitting(), PictureBounds(bytes=20_000), ImageAddress(url=noise(200, 200)))
    assert fitted.sent.bytes <= 20_000
    with pytest.raises(PictureError, match="can't be made to fit 100 bytes"):
        fit(Fitting(), PictureBounds(bytes=100), ImageAddress(url=noise(200, 200)))
