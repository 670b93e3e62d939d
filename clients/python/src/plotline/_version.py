"""The version of the client, and of the wire protocol that it speaks."""

__version__ = "0.1.0"
