# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a test session that runs inside Blender: does what the test at the other end asks.

Blender loads it with ``--python``. It listens on the loopback interface, writes its port into a
file, accepts one connection that starts with the secret it was given, and answers requests from a
timer, on Blender's main thread: the event loop runs between any two of them. Requests and replies
are lines of JSON. When the connection ends, so does Blender, lest it outlive a test run.
"""

import ast
import json
import os
import select
import socket
import traceback
from pathlib import Path

import bpy

PORT_FILE = Path(os.environ["RAYPICK_RPC_PORT_FILE"])
SECRET = os.environ["RAYPICK_RPC_SECRET"]
WAIT_SECONDS = 0.005
"""How long one turn of the event loop may wait for a request, as Blender waits for input."""


def viewport():
    """Return window, area, main region and 3D region data of the first 3D viewport."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                region = next(region for region in area.regions if region.type == "WINDOW")
                return window, area, region, area.spaces.active.region_3d
    raise LookupError("no 3D viewport is open")


names = {"bpy": bpy, "viewport": viewport, "draws": 0, "result": None}
"""What the code of a request sees, and where what it defines stays."""


def run(code):
    """Run code; return the value of its last line, if that is an expression, or of `result`."""
    names["result"] = None
    # Before Blender 4.5 what a context returns belongs to the scene whose settings it last gave.
    _ = bpy.context.tool_settings
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<request>", "exec"), names)
    if last is not None:
        return eval(compile(ast.Expression(last.value), "<request>", "eval"), names)
    return names["result"]


def plain(value):
    """Turn what JSON does not know, such as vectors and arrays, into lists, or else into text."""
    if hasattr(value, "tolist"):
        return value.tolist()
    try:
        return list(value)
    except TypeError:
        return str(value)


def reply_to(line):
    """Carry out one request and return the line to send back."""
    try:
        reply = {"result": run(json.loads(line))}
        return json.dumps(reply, default=plain)
    except Exception:
        return json.dumps({"error": traceback.format_exc()})


def count_draw():
    """Count the drawings of 3D viewports."""
    names["draws"] += 1


class Server:
    """The one connection, and what of a request has arrived so far."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.connection = None
        self.trusted = False
        self.received = b""
        # Written aside and renamed, so that a reader finds the whole number or no file.
        unfinished = PORT_FILE.with_suffix(".unfinished")
        unfinished.write_text(str(self.listener.getsockname()[1]))
        unfinished.replace(PORT_FILE)

    def tick(self):
        """Do what has arrived; the timer calls again after the seconds returned."""
        # With simulated events Blender's loop never sleeps: two of them would fill two cores.
        if not select.select([self.connection or self.listener], [], [], WAIT_SECONDS)[0]:
            return 0.0
        try:
            if self.connection is None:
                self.connection, _ = self.listener.accept()
                self.connection.setblocking(False)
            data = self.connection.recv(1 << 16)
        except BlockingIOError:
            return 0.0
        except ConnectionError:
            data = b""
        if not data:
            os._exit(0)
        self.received += data
        while b"\n" in self.received:
            line, self.received = self.received.split(b"\n", 1)
            self.answer(line.decode())
        return 0.0

    def answer(self, line):
        """Reply to a request, once the secret has been said."""
        if not self.trusted:
            self.trusted = line == SECRET
            if not self.trusted:
                os._exit(1)
            return
        self.connection.setblocking(True)
        self.connection.sendall(reply_to(line).encode() + b"\n")
        self.connection.setblocking(False)


if not bpy.app.background:
    bpy.types.SpaceView3D.draw_handler_add(count_draw, (), "WINDOW", "POST_PIXEL")
bpy.app.timers.register(Server().tick, first_interval=0.0, persistent=True)
