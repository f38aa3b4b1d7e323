"""Turns what people write into what the service takes."""

from __future__ import annotations

import re
import unicodedata

# Blanks, and the marks that people put between digits.
_SEPARATORS = re.compile(r"[\s().\-\u2010-\u2015/]")


def recipient_of(written: str) -> str:
    """A text that cannot be read is left as it is, for the service to judge. `+44 (0) 7400` stays wrong: which digits
    to leave out is not for us to guess."""
    if not isinstance(written, str):
        raise TypeError("recipient must be a string.")
    trimmed = _without_ends(written)
    if "@" in trimmed:
        return trimmed
    digits = _SEPARATORS.sub("", _in_ascii(trimmed))
    return digits if re.fullmatch(r"\+[0-9]+", digits) else trimmed


def code_of(written: str) -> str:
    if not isinstance(written, str):
        raise TypeError("code must be a string: a number has lost its leading zeros.")
    return re.sub(r"[\s\-\u2010-\u2015]", "", _in_ascii(written))


def _without_ends(text: str) -> str:
    """Inside an address marks that nobody sees may belong to it."""
    seen = [place for place, letter in enumerate(text) if not letter.isspace() and not _is_unseen(letter)]
    return text[seen[0] : seen[-1] + 1] if seen else ""


def _is_unseen(letter: str) -> bool:
    """Such marks, for example those for the direction of a text, come along with what is copied."""
    return unicodedata.category(letter) == "Cf"


def _in_ascii(text: str) -> str:
    """Converts digits of other scripts, and full-width characters of input methods."""
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", text) if not _is_unseen(letter))
    return re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit.group())), seen)
