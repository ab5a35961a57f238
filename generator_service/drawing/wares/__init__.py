"""Everyday things that stand on furniture or on the floor, one file each: built standing on y = 0."""

from generator_service.drawing.wares import book, bottle, bowl, candle, clock, mug, plant, scissors, toilet_roll
from generator_service.drawing.wares.ware import Ware

WARES: tuple[Ware, ...] = (
    book.WARE,
    bottle.WARE,
    bowl.WARE,
    candle.WARE,
    clock.WARE,
    mug.WARE,
    plant.WARE,
    scissors.WARE,
    toilet_roll.WARE,
)
