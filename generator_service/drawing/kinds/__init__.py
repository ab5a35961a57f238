"""The kinds of thing in the built-in bank, one file each."""

from generator_service.drawing.kinds import (
    aeroplane,
    boot,
    car,
    chair,
    duck,
    guitar,
    hammer,
    key,
    lamp,
    mug,
    sailboat,
    snail,
    teapot,
    train,
    umbrella,
    watering_can,
)
from generator_service.drawing.kinds.kind import Kind

KINDS: tuple[Kind, ...] = (
    aeroplane.KIND,
    boot.KIND,
    car.KIND,
    chair.KIND,
    duck.KIND,
    guitar.KIND,
    hammer.KIND,
    key.KIND,
    lamp.KIND,
    mug.KIND,
    sailboat.KIND,
    snail.KIND,
    teapot.KIND,
    train.KIND,
    umbrella.KIND,
    watering_can.KIND,
)
