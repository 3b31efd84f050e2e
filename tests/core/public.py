# SPDX-License-Identifier: GPL-3.0-or-later
"""The public names of the core, and what they stand for."""

import inspect

import standalone_core as sc
import standalone_core.adapters.open3d
import standalone_core.adapters.trimesh


def _exported(module):
    """What a module exports by name: all of its ``__all__``, or else what it defines."""
    own = (n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__)
    defined = [name for name in own if not name.startswith("_")]
    return {name: getattr(module, name) for name in getattr(module, "__all__", defined)}


# Those of the package, and those to be imported by name.
MODULES = {name: thing for name, thing in _exported(sc).items() if inspect.ismodule(thing)}
_ADAPTERS = ("open3d", "trimesh")
MODULES |= {f"adapters.{name}": getattr(sc.adapters, name) for name in _ADAPTERS}
NAMES = {name: thing for name, thing in _exported(sc).items() if name not in MODULES} | {
    f"{prefix}.{name}": thing
    for prefix, module in MODULES.items()
    for name, thing in _exported(module).items()
}
"""All public names below the package, but those of modules, with what they stand for."""

DOCUMENTED = {n: v for n, v in NAMES.items() if inspect.isclass(v) or inspect.isroutine(v)}
"""Those that can have a docstring: classes and functions."""
