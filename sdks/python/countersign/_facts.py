"""The facts that every error of a call has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional


@dataclass(frozen=True)
class Facts:
    type: str
    message: str
    status: Optional[int]
    request_id: str
    details: Mapping[str, Any] = field(default_factory=dict)
    retry_after: Optional[int] = None
