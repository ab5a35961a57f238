"""A ruled board for cells, eight tenths of a panel wide."""

from generator_service.drawing.vector import Pen


def grid(pen: Pen, count: int) -> None:
    side = 840 / count
    for line in range(count + 1):
        pen.line([(80, 80 + side * line), (920, 80 + side * line)], width=10)
        pen.line([(80 + side * line, 80), (80 + side * line, 920)], width=10)
