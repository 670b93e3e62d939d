"""Packages that only some calls need."""

from __future__ import annotations

from importlib.util import find_spec


def require(what: str, *packages: str) -> None:
    """Checks for packages before work that needs all of them.

    Args:
        what: the work, at the start of a sentence: ``"A DataFrame"``.
        packages: their names on PyPI, by which they are also imported.

    Raises:
        ImportError: some are not installed; the message says how to install them.
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ImportError(f"{what} needs {' and '.join(missing)}: pip install {' '.join(missing)}")
