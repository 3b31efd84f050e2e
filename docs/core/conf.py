# SPDX-License-Identifier: GPL-3.0-or-later
"""How Sphinx builds the reference of the core; ``python scripts/docs.py`` runs it."""

# Sphinx, and not MkDocs with mkdocstrings: the docstrings refer to each other by roles of Sphinx,
# and it is still developed, where MkDocs, its theme and mkdocstrings get fixes alone.

import standalone_core

project = "Raypick core"
author = "Raypick contributors"
version = release = standalone_core.__version__
extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser", "sphinx_copybutton"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"numpy\..*")]  # their pages are elsewhere
add_module_names = False

# The docstrings say the types, with shapes.
autodoc_typehints = "none"
autodoc_member_order = "bysource"

numpydoc_show_class_members = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# The pages are read without a network too: nothing in them comes from another host.
html_theme = "furo"
html_title = f"{project} {version}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
