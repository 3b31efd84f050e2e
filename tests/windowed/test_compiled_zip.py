# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip with the compiled engine, in a window: Blender installs the wheels for its Python."""

import pytest

from build_extension import build_compiled, zip_name
from checkout import CACHE
from tests.picks_by_engine import PICKS
from tests.windowed.session import Session
from wheels import TARGETS

HINTS = """
from bl_ext.user_default.raypick import preferences
class Layout:
    def __init__(self):
        self.texts = []
    def label(self, text, **_options):
        self.texts.append(text)
def hints(engine):
    layout = Layout()
    preferences._draw_engine(layout, engine)
    return layout.texts
result = [hints(engine) for engine in ("AUTO", "NUMPY", "NUMBA")]
"""


@pytest.fixture
def compiled_blender(blender_build, tmp_path):
    """Return a session with the zip for Linux, whose wheels are downloaded once."""
    if blender_build.root is None:
        pytest.skip("which zip this Blender needs is not known")
    (python,) = blender_build.root.glob("usr/bin/python3.??")
    needed = f"linux-x64-py{python.name.removeprefix('python').replace('.', '')}"
    (built,) = build_compiled([needed], tmp_path)
    with Session(blender_build, built) as session:
        yield session


def test_blender_installs_the_wheels_for_its_python_and_picks_are_the_same(compiled_blender):
    blender = compiled_blender
    assert blender.py(HINTS) == [[], [], []]
    blender.py(PICKS + "add_meshes()\nslow = picks('NUMPY', 18, 100)\nresult = None")
    with blender.lend(CACHE / "kernels-of-the-zip" / blender.build.label) as kept:
        blender.py(f"load_kernels({kept!r})\ncompiled.compile(wait=False)\nresult = None")
        blender.wait("compiled.state().status in ('ready', 'failed')", timeout=300)
        assert blender.py("[compiled.state().status, compiled.state().reason]") == ["ready", None]
        blender.py(f"keep_kernels({kept!r})\nresult = None")
    assert blender.py("[sum(map(len, slow)) > 100, slow == picks('NUMBA', 18, 100)]") == [True] * 2
    python = "python{}.{}".format(*blender.py("list(sys.version_info[:2])"))
    assert f"/.local/lib/{python}/" in blender.py("__import__('numba').__file__")


def test_the_preferences_of_the_plain_zip_name_the_one_that_has_it(blender):
    tag = "py{}{}".format(*blender.py("list(__import__('sys').version_info[:2])"))
    name = zip_name(TARGETS[f"linux-x64-{tag}"])
    hint = f"Compiled code is in the larger zip {name}"
    assert blender.py(HINTS) == [[hint], [], [hint]]
