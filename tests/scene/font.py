"""font.py - what a TrueType file says of its characters: which it has, how wide they are, where their ink is.

A second reading of the built-in font, by the format's tables alone (OpenType 1.9: head, hhea, hmtx, cmap 4 and 12,
loca, glyf), so that what the program measured can be doubted.
"""

import struct


class Font:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        n_tables = self.u16(4)
        self.table = {}
        for i in range(n_tables):
            tag, _, offset, _ = struct.unpack_from(">4sIII", self.data, 12 + 16 * i)
            self.table[tag.decode()] = offset
        self.em = self.u16(self.table["head"] + 18)
        self.long_offsets = self.u16(self.table["head"] + 50)
        self.n_metrics = self.u16(self.table["hhea"] + 34)
        self.glyphs = self.read_characters()

    def u16(self, at):
        return struct.unpack_from(">H", self.data, at)[0]

    def i16(self, at):
        return struct.unpack_from(">h", self.data, at)[0]

    def u32(self, at):
        return struct.unpack_from(">I", self.data, at)[0]

    def read_characters(self):
        """Glyph by code point, of all subtables that are of Unicode."""
        begin, out = self.table["cmap"], {}
        for i in range(self.u16(begin + 2)):
            at = begin + self.u32(begin + 4 + 8 * i + 4)
            if self.u16(at) == 4:
                self.read_segments(at, out)
            elif self.u16(at) == 12:
                for k in range(self.u32(at + 12)):
                    first, last, glyph = struct.unpack_from(">III", self.data, at + 16 + 12 * k)
                    out.update((c, glyph + c - first) for c in range(first, last + 1))
        return {c: glyph for c, glyph in out.items() if glyph}

    def read_segments(self, at, out):
        n = self.u16(at + 6) // 2
        for k in range(n):
            last, first = self.u16(at + 14 + 2 * k), self.u16(at + 16 + 2 * n + 2 * k)
            delta, place = self.u16(at + 16 + 4 * n + 2 * k), at + 16 + 6 * n + 2 * k
            offset = self.u16(place)
            for c in range(first, min(last, 0xFFFE) + 1):
                glyph = c if offset == 0 else self.u16(place + offset + 2 * (c - first))
                out[c] = (glyph + delta) & 0xFFFF if glyph or offset == 0 else 0

    def has(self, character):
        return ord(character) in self.glyphs

    def advance(self, character):
        """In parts of the size."""
        glyph = min(self.glyphs.get(ord(character), 0), self.n_metrics - 1)
        return self.u16(self.table["hmtx"] + 4 * glyph) / self.em

    def ink(self, character):
        """Left, bottom, right, top of the outline in parts of the size; None when there is none, as of a blank."""
        glyph = self.glyphs.get(ord(character), 0)
        if self.long_offsets:
            begin, end = self.u32(self.table["loca"] + 4 * glyph), self.u32(self.table["loca"] + 4 * glyph + 4)
        else:
            begin, end = 2 * self.u16(self.table["loca"] + 2 * glyph), 2 * self.u16(self.table["loca"] + 2 * glyph + 2)
        if begin == end:
            return None
        at = self.table["glyf"] + begin + 2
        return tuple(self.i16(at + 2 * k) / self.em for k in range(4))

    def width(self, text, size):
        return size * sum(self.advance(c) for c in text)

    def ink_of(self, text, size, x, baseline):
        """Left, top, right, bottom of what is black of a text that stands at x; None for blanks alone."""
        left = top = right = bottom = None
        for c in text:
            ink = self.ink(c)
            if ink:
                edges = (x + ink[0] * size, baseline - ink[3] * size, x + ink[2] * size, baseline - ink[1] * size)
                left = edges[0] if left is None else min(left, edges[0])
                top = edges[1] if top is None else min(top, edges[1])
                right = edges[2] if right is None else max(right, edges[2])
                bottom = edges[3] if bottom is None else max(bottom, edges[3])
            x += self.advance(c) * size
        return None if left is None else (left, top, right, bottom)
