# SPDX-License-Identifier: GPL-3.0-or-later
"""Picks are never stale in a window: real undo and redo, local view and modes, by events.

What is done and what judges it is that of ``tests/blender``; it runs inside the windowed Blender.
"""

import os
import random
from pathlib import Path

from tests.windowed.views import EMPTY

STEPS = int(os.environ.get("RAYPICK_WINDOWED_STEPS", "60"))

FOLDER = Path(__file__).parents[1] / "blender"
SOURCES = {
    str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8")
    for path in (
        *map(FOLDER.joinpath, ("oracle.py", "agreement.py", "surface.py")),
        *FOLDER.glob("actions/*.py"),
    )
}

MODULES = """
import sys
from pathlib import Path

folder = Path(bpy.app.tempdir, "sources")
for name, text in {sources!r}.items():
    path = folder / "never_stale" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
sys.path.insert(0, str(folder))
from bl_ext.user_default.raypick import api
from never_stale import actions
from never_stale.agreement import RAYS, Agreement

agreement = Agreement(api.ray_cast)

def in_viewport():
    window, area, region, _ = viewport()
    return bpy.context.temp_override(window=window, area=area, region=region)

def do(name, seed):
    with in_viewport():
        return actions.do(name, seed)

def faults(seed):
    with in_viewport():
        return agreement.faults(bpy.context, seed, bpy.context.space_data)

actions.begin()
sorted(set(actions.CHOICES) - set(actions.HISTORY) - set(actions.FILES))
"""

KEYS = {
    "undo": ("Z", {"ctrl": True}),
    "redo": ("Z", {"ctrl": True, "shift": True}),
    "local view": ("NUMPAD_SLASH", {}),
    "edit mode": ("TAB", {}),
}
"""What is done by pressing a key above the viewport, as people do."""


def test_every_pick_after_any_step_agrees_with_brute_force(fresh_blender, rng):
    blender = fresh_blender
    blender.py(EMPTY)
    blender.redraw()
    choices = blender.py(MODULES.format(sources=SOURCES))
    steps = random.Random(int(rng.integers(2**32)))
    where = blender.position_of((0, 0, 0))
    done = []
    while len(done) < STEPS:
        name, seed = one_step(steps, choices)
        done.append((name, seed))
        print(f"step {len(done)}: {name!r}, {seed}")
        if name in KEYS:
            key, held = KEYS[name]
            blender.move(*where)
            blender.key(key, *where, **held)
        else:
            blender.py(f"do({name!r}, {seed})")
        found = blender.py(f"faults({seed})")
        assert not found, f"after {done}:\n" + "\n".join(found[:5])
    rays, crossed, certain, blenders, each = blender.py(
        "agreement.rays, agreement.crossed, agreement.certain, agreement.blenders, RAYS"
    )
    places, marked = blender.py("agreement.places, agreement.marked")
    print(f"{rays} rays, {crossed} crossed something, {certain} compared in full, {blenders} twice")
    print(f"{places} places, {marked} with their original faces")
    assert rays > 0.9 * STEPS * each
    # So few steps may be spent in one poor scene.
    assert crossed + certain - rays > 0.1 * rays  # what misses everything is certain
    assert blenders > 0
    assert places > crossed


def one_step(steps, choices):
    """A key or an action, and its seed: few steps are enough to need undo, redo and local view."""
    names = sorted(KEYS) if steps.randrange(3) == 0 else choices
    return steps.choice(names), steps.randrange(2**32)
