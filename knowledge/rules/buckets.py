"""Search buckets: a stable hash of a document's identity, by which a search can be divided over machines.

The bucket depends on nothing but the identity, so it survives moves, renames and restarts, on any machine.
"""

from __future__ import annotations

import hashlib

from knowledge.rules.limits import SEARCH_BUCKETS


def bucket_of(identity: int) -> int:
    """The bucket, 0 to 63, of the document with this id."""
    digest = hashlib.blake2b(str(identity).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % SEARCH_BUCKETS
