"""The version, which is sent with every call."""

__version__ = "0.1.0"
