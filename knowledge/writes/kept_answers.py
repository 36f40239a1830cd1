"""Under which names the kept answers of idempotency keys show comments, so that removing one drops them."""

from __future__ import annotations

from knowledge.models import Comment


def comment_key(comment_id: int) -> str:
    """The name of the answers that show one comment."""
    return f"comment:{comment_id}"


def comment_keys(page_id: int) -> list[str]:
    """The names of the answers that show any comment of a page."""
    return [
        comment_key(comment_id) for comment_id in Comment.objects.filter(page_id=page_id).values_list("pk", flat=True)
    ]
