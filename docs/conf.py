# SPDX-License-Identifier: MIT
# The documents as a static site: `make docs`. Search works from a file: it is an index in the page, no server.
project = "rigor"
author = "the rigor authors"
copyright = "2026 the rigor authors"
extensions = ["myst_parser"]
myst_heading_anchors = 3
exclude_patterns = ["README.md", "generated"]
suppress_warnings = ["myst.header"]
html_theme = "alabaster"
html_theme_options = {"description": "rigid-body constraint solvers on one model under one harness", "page_width": "1080px"}
html_copy_source = False
html_show_sourcelink = False
