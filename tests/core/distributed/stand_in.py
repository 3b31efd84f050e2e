# SPDX-License-Identifier: GPL-3.0-or-later
"""A program in the place of Blender, with the command line of ``raypick survey`` and its report.

It shows how tasks are run, retried and reported, and nothing of what Blender does: the "file" is a
text of orders, and a "picture" a few bytes. A file is written beside and moved into place; with
``--resume`` one that is there is kept.

    stand_in.py --background --disable-autoexec --threads 1 FILE --command raypick survey ...
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--background", action="store_true", required=True)
    parser.add_argument("--disable-autoexec", action="store_true", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("file", type=Path)
    words = sys.argv[1:]
    cut = words.index("--command")
    # Blender takes "--threads=1" for the name of a file.
    assert not [word for word in words[:cut] if word.startswith("-") and "=" in word]
    program = parser.parse_args(words[:cut])
    assert words[cut : cut + 3] == ["--command", "raypick", "survey"]
    command = argparse.ArgumentParser()
    for name in ("--out", "--json"):
        command.add_argument(name, type=Path, required=True)
    command.add_argument("--frames", default="1")
    command.add_argument("--camera", action="append", default=[])
    command.add_argument("--format", default="npz")
    command.add_argument("--passes")
    command.add_argument("--threads", type=int)
    for name in ("--resume", "--quiet"):
        command.add_argument(name, action="store_true")
    options = command.parse_args(words[cut + 3 :])
    assert options.threads == program.threads == int(os.environ["RAYPICK_THREADS"])
    if not program.file.is_file():
        print(f"Error: Cannot read file {program.file}", file=sys.stderr)
        return 1
    orders = json.loads(program.file.read_text())
    return survey(options, orders)


def survey(options, orders):
    tempfile.mkdtemp()  # which is left, as bpy leaves one
    if "log" in orders:
        with open(orders["log"], "a") as file:
            file.write(f"{os.getpid()} {options.frames}\n")
    options.out.mkdir(parents=True, exist_ok=True)
    made, kept, failed = [], [], []
    for frame in frames_of(options.frames):
        for camera in options.camera or ["Camera"]:
            path = options.out / f"{camera}_{frame:04d}.{options.format}"
            if options.resume and path.exists():
                kept.append(str(path))
            elif frame in orders.get("bad_frames", ()):
                failed.append({"camera": camera, "frame": frame, "error": "the frame is bad"})
            else:
                write(path, orders, f"{camera} {frame} {options.passes}")
                made.append(str(path))
            if frame in orders.get("dies_at", ()):
                os.abort()
    options.json.write_text(json.dumps({"made": made, "kept": kept, "failed": failed}))
    return 1 if failed else 0


def write(path, orders, content):
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    unfinished.write_text(content[: len(content) // 2])
    time.sleep(orders.get("seconds", 0))
    unfinished.write_text(content)
    unfinished.replace(path)


def frames_of(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    sys.exit(main())
