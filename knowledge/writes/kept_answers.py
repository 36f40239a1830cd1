"""Under which names the kept answers of idempotency keys show comments, so that removing one drops them."""

from __future__ import annotations

from knowledge.models import Comment
from knowledge.models.talk import PAGE
from knowledge.reads.comments import about


def comment_key(comment_id: int) -> str:
    """The name of the answers that show one comment."""
    return f"comment:{comment_id}"


def comment_keys(subject_id: int, *, kind: str = PAGE) -> list[str]:
    """The names of the answers that show any comment on a page, or on a thing of another kind."""
    comments = Comment.objects.filter(**about(kind, subject_id))
    return [comment_key(comment_id) for comment_id in comments.values_list("pk", flat=True)]
