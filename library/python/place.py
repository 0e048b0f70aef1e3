# SPDX-License-Identifier: MIT
"""Where a prefix has the packages that this Python finds by itself, or else would have them; and the way from a package there to
a folder of libraries. usage: place.py PREFIX LIBDIR"""

import os
import sys

prefix, libdir = (os.path.normpath(path) for path in sys.argv[1:])
usual = os.path.join(prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")
below = [path for path in sys.path if path.endswith("-packages") and os.path.dirname(path).startswith(prefix + "/lib/python")]
place = below[0] if below else usual
print(place)
print(os.path.relpath(os.path.join(prefix, libdir), os.path.join(place, "rigor")))
