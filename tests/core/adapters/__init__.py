# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of `adapters`, beside the libraries whose interfaces they have."""
