#!/usr/bin/env python3
"""add_signs.py - the signs that Noto Sans lacks and reports need, in the manner of its own: − ≤ ≥ ≈ →

    python3 add_signs.py SUBSET.ttf OUT.ttf        needs fontTools

The minus is the arm of the plus, ≤ and ≥ are < and > over that arm, ≈ is ~ twice, and the arrow is the arm with a
head of the same stroke. Four are as wide as digits, so that columns of numbers stay in line.
"""

import sys

from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

GAP = 0.9      # between < and its bar, of the stroke
APART = 0.72   # the middles of the waves of ≈, of the height of a wave
HEAD = 240     # of the arrow: how far it goes up, down and back
ARROW = 1000   # its advance


def rectangle(pen, left, bottom, right, top):
    pen.moveTo((left, bottom))
    for point in ((left, top), (right, top), (right, bottom)):
        pen.lineTo(point)
    pen.closePath()


def copy(pen, font, name, up):
    glyph = font["glyf"][name]
    coordinates, ends, flags = glyph.getCoordinates(font["glyf"])
    begin = 0
    for end in ends:
        points = [(x, y + up) for x, y in coordinates[begin:end + 1]]
        on = list(flags[begin:end + 1])
        first = next(i for i, is_on in enumerate(on) if is_on)
        points, on = points[first:] + points[:first], on[first:] + on[:first]
        pen.moveTo(points[0])
        curve = []
        for point, is_on in list(zip(points, on))[1:] + [(points[0], 1)]:
            curve.append(point)
            if is_on:
                (pen.lineTo if len(curve) == 1 else pen.qCurveTo)(*curve)
                curve = []
        pen.closePath()
        begin = end + 1


def arm(font):
    """Left, bottom, right, top of the level arm of the plus."""
    ys = sorted({y for x, y in font["glyf"]["plus"].coordinates})
    xs = sorted({x for x, y in font["glyf"]["plus"].coordinates})
    return xs[0], ys[1], xs[-1], ys[-2]


def minus(pen, font):
    rectangle(pen, *arm(font))


def with_bar(name):
    def draw(pen, font):
        left, bottom, right, top = arm(font)
        stroke, sign = top - bottom, font["glyf"][name]
        up = round(stroke * GAP / 2 + stroke / 2)
        copy(pen, font, name, up)
        bar = round(sign.yMin + up - stroke * GAP - stroke)
        rectangle(pen, left, bar, right, bar + stroke)
    return draw


def waves(pen, font):
    wave = font["glyf"]["asciitilde"]
    up = round((wave.yMax - wave.yMin) * APART)
    copy(pen, font, "asciitilde", up)
    copy(pen, font, "asciitilde", -up)


def arrow(pen, font):
    _, bottom, _, top = arm(font)
    middle, wide, tip = (bottom + top) / 2, round((top - bottom) * 2 ** 0.5), ARROW - 70
    rectangle(pen, 70, bottom, tip - wide // 2, top)
    pen.moveTo((tip, middle))
    for x, y in ((tip - HEAD, -HEAD), (tip - HEAD - wide, -HEAD), (tip - wide, 0), (tip - HEAD - wide, HEAD), (tip - HEAD, HEAD)):
        pen.lineTo((x, middle + y))
    pen.closePath()


SIGNS = {0x2212: ("minus", minus), 0x2264: ("lessequal", with_bar("less")), 0x2265: ("greaterequal", with_bar("greater")),
         0x2248: ("approxequal", waves), 0x2192: ("arrowright", arrow)}


def main():
    font = TTFont(sys.argv[1], recalcTimestamp=False)
    font.setGlyphOrder(font.getGlyphOrder() + [name for name, _ in SIGNS.values()])
    for code, (name, draw) in SIGNS.items():
        pen = TTGlyphPen(None)
        draw(pen, font)
        font["glyf"][name] = pen.glyph()
        font["glyf"][name].recalcBounds(font["glyf"])
        font["hmtx"][name] = (ARROW if draw is arrow else font["hmtx"]["plus"][0], font["glyf"][name].xMin)
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap[code] = name
    font.save(sys.argv[2])


if __name__ == "__main__":
    main()
