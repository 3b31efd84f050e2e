# SPDX-License-Identifier: GPL-3.0-or-later
"""glTF files written number by number: arrays of any type, meshes of any mode, as text or bytes."""

import base64
import json
import struct

CODES = {"b": 5120, "B": 5121, "h": 5122, "H": 5123, "I": 5125, "f": 5126}
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Gltf:
    """A document with one buffer, to which arrays are added."""

    def __init__(self, **fields):
        self.data = bytearray()
        self.root = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], **fields}

    def view(self, content, **fields):
        self.data += bytes(-len(self.data) % 4)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(content), **fields}
        self.data += content
        self.root["bufferViews"].append(view)
        return len(self.root["bufferViews"]) - 1

    def array(self, rows, code="f", stride=0, **fields):
        """Add an accessor; rows are numbers or tuples of them, and lie `stride` bytes apart."""
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
        packed = [struct.pack(f"<{len(row)}{code}", *row).ljust(stride, b"\xaa") for row in rows]
        view = self.view(b"".join(packed), **({"byteStride": stride} if stride else {}))
        accessor = {"bufferView": view, "componentType": CODES[code], "count": len(rows)}
        self.root["accessors"].append({**accessor, "type": TYPES[len(rows[0])], **fields})
        return len(self.root["accessors"]) - 1

    def sparse(self, rows, values, index_code="H", code="f"):
        """What an accessor has for some rows that are not those of its view."""
        return {
            "count": len(rows),
            "indices": {
                "bufferView": self.view(struct.pack(f"<{len(rows)}{index_code}", *rows)),
                "componentType": CODES[index_code],
            },
            "values": {
                "bufferView": self.view(b"".join(struct.pack(f"<3{code}", *row) for row in values))
            },
        }

    def text(self, uri=None):
        """The file as text, with the buffer in it or elsewhere."""
        uri = uri or "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        buffer = {"byteLength": len(self.data), "uri": uri}
        return json.dumps({"buffers": [buffer], **self.root}).encode()

    def binary(self):
        """The file in bytes, with the buffer behind the text."""
        text = json.dumps({**self.root, "buffers": [{"byteLength": len(self.data)}]}).encode()
        text += b" " * (-len(text) % 4)
        data = bytes(self.data) + bytes(-len(self.data) % 4)
        body = struct.pack("<I4s", len(text), b"JSON") + text
        body += struct.pack("<I4s", len(data), b"BIN\0") + data
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def of_mesh(primitives, nodes=None, **fields):
    """A document with one mesh and a scene of one node, or of these, of which each is a root."""
    nodes = nodes or [{"mesh": 0}]
    scene = {"scenes": [{"nodes": list(range(len(nodes)))}], "nodes": nodes}
    document = Gltf(**scene, **fields)
    document.root["meshes"] = [{"primitives": primitives(document)}]
    return document
