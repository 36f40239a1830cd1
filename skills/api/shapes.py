"""What more than one route of the skills' REST door answers alike."""

from __future__ import annotations

from skills.budget import Catalogue


def budget_shown(catalogue: Catalogue) -> dict[str, object]:
    """What the company's limit did to a catalogue."""
    return {
        "limit": catalogue.limit,
        "bytes": catalogue.size,
        "whole_bytes": catalogue.whole_size,
        "shortened": list(catalogue.shortened),
        "dropped": list(catalogue.dropped),
    }
