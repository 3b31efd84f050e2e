# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of cost against size."""

from pathlib import Path

import matplotlib

from .options import PLOTTED
from .results import TITLES, Results

matplotlib.use("Agg")

_COLORS = {
    "raypick numpy": "#d62728",
    "raypick numba": "#ff7f0e",
    "BVHTree": "#1f77b4",
    "Open3D": "#2ca02c",
    "embreex": "#9467bd",
    "trimesh": "#8c564b",
    "VTK": "#7f7f7f",
}


def draw(results: Results, path: Path) -> bool:
    """Draw first hit, build and warm pick against the triangles, both axes logarithmic.

    Return whether there was something to draw: two sizes at least.
    """
    measures = [measure for measure in PLOTTED if results.of(measure)]
    if not measures or len(results.sizes) < 2:
        return False
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(
        1, len(measures), figsize=(4 * len(measures), 4), squeeze=False, layout="constrained"
    )
    for axes, measure in zip(panels[0], measures, strict=True):
        for name, color in _COLORS.items():
            points = [
                (result.triangles, result.value)
                for result in results.of(measure)
                if result.contestant == name and result.mesh in results.sizes
            ]
            if points:
                columns = zip(*sorted(points), strict=True)
                width = 2.5 if name.startswith("raypick") else 1.3
                axes.plot(*columns, "o-", color=color, lw=width, label=name)
        axes.set(xscale="log", yscale="log", title=TITLES[measure], xlabel="triangles")
        axes.grid(alpha=0.3)
    panels[0][0].set_ylabel("seconds")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=7)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True
