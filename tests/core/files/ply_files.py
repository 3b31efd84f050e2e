# SPDX-License-Identifier: GPL-3.0-or-later
"""PLY files written number by number, of any types, in text and in bytes of both orders."""

import struct

CODES = {
    "char": "b",
    "uchar": "B",
    "short": "h",
    "ushort": "H",
    "int": "i",
    "uint": "I",
    "float": "f",
    "double": "d",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "float32": "f",
    "float64": "d",
}
FORMATS = {"ascii": None, "binary_little_endian": "<", "binary_big_endian": ">"}


def ply(kind, elements, ending="\n"):
    """A file of elements (name, properties, rows); a list property is (count, type, name)."""
    lines, body = ["ply", f"format {kind} 1.0", "comment end_header", "obj_info x"], []
    for name, properties, rows in elements:
        lines.append(f"element {name} {len(rows)}")
        lines += [
            f"property {'list ' if len(each) == 3 else ''}{' '.join(each)}" for each in properties
        ]
        for row in rows:
            body.append(_row(FORMATS[kind], properties, row))
    lines.append("end_header")
    separator = b"\n" if kind == "ascii" else b""
    return ending.join([*lines, ""]).encode() + separator.join(body)


def _row(order, properties, row):
    words = []
    for each, value in zip(properties, row, strict=True):
        if len(each) == 3:
            words += [(each[0], len(value)), *((each[1], one) for one in value)]
        else:
            words.append((each[0], value))
    if order is None:
        return " ".join(str(value) for _, value in words).encode()
    return b"".join(struct.pack(order + CODES[kind], value) for kind, value in words)
