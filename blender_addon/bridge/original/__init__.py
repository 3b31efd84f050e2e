# SPDX-License-Identifier: GPL-3.0-or-later
"""From a face of an evaluated mesh back to the face that it was made from."""
