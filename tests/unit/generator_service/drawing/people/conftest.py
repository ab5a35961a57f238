from functools import cached_property

import numpy as np
import pytest

from generator_service.drawing.canvas import Picture
from generator_service.drawing.people.composing import PersonSize
from generator_service.drawing.people.layers import PersonLayer
from generator_service.drawing.people.people_maker import LayerName, Maker
from tests.unit.generator_service.drawing.people.mannequin import files


class Mannequins:
    """People drawn from the mannequin when they are first asked for; things are tiles."""

    def __init__(self) -> None:
        self._layers: dict[tuple[str, str], PersonLayer] = {}

    @cached_property
    def maker(self) -> Maker:
        data = files()
        return Maker(lambda path: data[path])

    def person(self, who: str, pose: str) -> PersonLayer:
        if (who, pose) not in self._layers:
            self._layers[who, pose] = self.maker.draw(LayerName(who, pose))
        return self._layers[who, pose]

    def size(self, who: str, pose: str) -> PersonSize:
        layer = self.person(who, pose)
        height, width = layer.part.shape
        return PersonSize(layer.left, layer.top, width, height, layer.anchors)

    def thing(self, code: str) -> Picture:
        number = int(code.partition("-")[0], 16)
        tile = np.full((40 + number % 50, 60, 4), 255, np.uint8)
        tile[..., :3] = (number % 200, number * 7 % 200, number * 31 % 200)
        return tile

    def thing_size(self, code: str) -> tuple[int, int]:
        height, width = self.thing(code).shape[:2]
        return height, width


@pytest.fixture(scope="session")
def mannequins() -> Mannequins:
    return Mannequins()
