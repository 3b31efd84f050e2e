# SPDX-License-Identifier: MIT
"""Old names that still work: they warn, and name the new one."""

import warnings
from typing import Any


class DeprecatedAlias(property):
    """What :func:`deprecated_alias` makes."""


def deprecated_alias(old: str, new: str, since: str) -> DeprecatedAlias:
    """An attribute or method under its old name, for the body of a class.

    Parameters
    ----------
    old, new : str
        The name that it is assigned to, and the one that replaces it.
    since : str
        The version that deprecated it. The old name works for one more minor version at least.

    Returns
    -------
    DeprecatedAlias
        A property that reads the new name, after a DeprecationWarning at the line that used the
        old one.

    Examples
    --------
    >>> import warnings
    >>> class Answers:
    ...     hit = True
    ...     found = deprecated_alias("found", "hit", since="0.2")
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     Answers().found
    True
    >>> print(caught[0].message)
    Answers.found is deprecated since 0.2: use Answers.hit
    """

    def read(self: Any) -> Any:
        of = type(self).__name__
        message = f"{of}.{old} is deprecated since {since}: use {of}.{new}"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self, new)

    # Given as `doc`, it would be hidden by the docstring of the class.
    read.__doc__ = f"The old name of ``{new}``.\n\n.. deprecated:: {since}"
    return DeprecatedAlias(read)
