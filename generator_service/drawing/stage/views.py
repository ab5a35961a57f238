"""Define the views: camera, light and room of a picture."""

from dataclasses import dataclass

from generator_service.drawing.mesh import Colour
from generator_service.drawing.stage.camera import Camera
from generator_service.drawing.stage.lighting import LEFT, RIGHT, Light


@dataclass(frozen=True)
class View:
    camera: Camera
    light: Light
    wall: Colour
    floor: Colour
    skirting: Colour


VIEWS = (
    View(Camera(-9.0, 24.0), LEFT, (226, 222, 210), (178, 172, 160), (246, 244, 238)),
    View(Camera(8.0, 27.0), RIGHT, (214, 222, 216), (164, 168, 164), (240, 244, 240)),
    View(Camera(-4.0, 21.5), RIGHT, (224, 220, 226), (172, 168, 172), (246, 244, 248)),
    View(Camera(11.0, 25.0), LEFT, (232, 228, 212), (168, 170, 156), (250, 248, 240)),
)
