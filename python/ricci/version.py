"""The version of the package, which scripts/wheel reads, too."""

__version__ = "0.1.0.dev0"
