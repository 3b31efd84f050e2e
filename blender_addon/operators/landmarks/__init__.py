# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on landmarks, their sets and their templates."""

from . import adding, marking, order, selecting, sets, template, topology, touching

MODULES = (adding, touching, selecting, order, marking, sets, template, topology)
