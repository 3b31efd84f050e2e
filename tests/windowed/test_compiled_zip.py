# SPDX-License-Identifier: GPL-3.0-or-later
"""The zip with the compiled engine, in a window: Blender installs the wheels for its Python."""

import pytest

from build_extension import build_compiled
from checkout import CACHE
from tests.picks_by_engine import PICKS
from tests.windowed.session import Session

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
        pytest.skip("which platform's zip this Blender needs is not known")
    (built,) = build_compiled(["linux-x64"], tmp_path)
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


def test_the_preferences_of_the_plain_zip_say_how_to_get_it(blender):
    hint = "Larger zips of Raypick include Numba: scripts/build_extension.py --compiled"
    missing = "Numba is not installed in Blender's Python"
    assert blender.py(HINTS) == [[hint], [], [missing, hint]]
