"""Settings of the documentation site; `make docs` builds it."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import bnsearch

gc.set_threshold(100_000, 20, 20)  # pages are large trees: with Python's defaults, garbage collection takes longer

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "bnsearch"
author = "The bnsearch developers"
copyright = author
version = release = bnsearch.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "code_cells",
    "command_help",
    "library_tables",
]
exclude_patterns = ["extensions"]

# Pages: Markdown. Links to headings work as on code hosting sites.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # fences of other languages, such as `layers`

# Reference: docstrings in numpydoc format. Types in docstrings are words, so they are not links.
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: f"~bnsearch.{name}" for name in bnsearch.__all__}
autodoc_preserve_defaults = True
default_role = "py:obj"  # names in backticks of docstrings are links if they are public
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_maximum_signature_line_length = 90
# With `-n`, a link to a public name of the library must exist. Types of signatures that are not public are not links.
nitpick_ignore_regex = [("py:class", r"(?!bnsearch\.\w+$).*"), ("py:obj", r"(?!bnsearch\.\w+$).*")]

html_theme = "furo"
html_title = "bnsearch"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
copybutton_exclude = ".linenos, .gp, .go"

linkcheck_timeout = 20
