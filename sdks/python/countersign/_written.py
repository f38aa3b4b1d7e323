"""Turns what people write into what the service takes."""

from __future__ import annotations

import re
import unicodedata

# Blanks of every kind, and the marks that people put between digits.
_SEPARATORS = re.compile(r"[\s\u200b-\u200f\u2060\ufeff().\-\u2010-\u2015/]")


def recipient_of(written: str) -> str:
    """A text that cannot be read is left as it is, for the service to judge. `+44 (0) 7400` stays wrong: which digits
    to leave out is not for us to guess."""
    if not isinstance(written, str):
        raise TypeError("recipient must be a string.")
    trimmed = written.strip()
    if "@" in trimmed:
        return trimmed
    digits = _SEPARATORS.sub("", _in_ascii(trimmed))
    return digits if re.fullmatch(r"\+[0-9]+", digits) else trimmed


def code_of(written: str) -> str:
    if not isinstance(written, str):
        raise TypeError("code must be a string: a number has lost its leading zeros.")
    return re.sub(r"[\s-]", "", _in_ascii(written))


def _in_ascii(text: str) -> str:
    """Converts digits of other scripts, and full-width characters of input methods."""
    return re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit.group())), unicodedata.normalize("NFKC", text))
