"""Everyday things that stand on furniture or on the floor, one file each: built standing on y = 0."""

from generator_service.drawing.props import book, bottle, bowl, candle, clock, mug, plant, scissors, toilet_roll
from generator_service.drawing.props.prop import Prop

PROPS: tuple[Prop, ...] = (
    book.PROP,
    bottle.PROP,
    bowl.PROP,
    candle.PROP,
    clock.PROP,
    mug.PROP,
    plant.PROP,
    scissors.PROP,
    toilet_roll.PROP,
)
