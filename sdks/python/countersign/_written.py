"""What people write, as the service takes it."""

from __future__ import annotations

import re
import unicodedata

# Blanks of every kind, and what is put between digits to read them better.
_SEPARATORS = re.compile(r"[\s\u200b-\u200f\u2060\ufeff().\-\u2010-\u2015/]")


def recipient_of(written: str) -> str:
    """What cannot be read is left as it is, for the service to judge. `+44 (0) 7400` stays wrong: which digits to
    leave out is not for us to guess."""
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
    """Digits of other scripts, and what input methods make full-width."""
    return re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit.group())), unicodedata.normalize("NFKC", text))
