"""The words of the tracker (contract, section 6): what an item is, where it stands, how much it presses."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Where an item stands, in the order of a board."""

    TODO = "todo"
    IN_PROGRESS = "in_progress"
    IN_REVIEW = "in_review"
    DONE = "done"
    CANCELLED = "cancelled"
    CLOSED = "closed"


class Stage(StrEnum):
    """What a status means for whoever waits: nothing has begun, somebody is at it, it is there, it will not come."""

    NOT_STARTED = "not started"
    ACTIVE = "active"
    DONE = "done"
    CLOSED = "closed"


STAGE_OF = {
    Status.TODO: Stage.NOT_STARTED,
    Status.IN_PROGRESS: Stage.ACTIVE,
    Status.IN_REVIEW: Stage.ACTIVE,
    Status.DONE: Stage.DONE,
    Status.CANCELLED: Stage.CLOSED,
    Status.CLOSED: Stage.CLOSED,
}

OPEN = (Status.TODO, Status.IN_PROGRESS, Status.IN_REVIEW)
"""The statuses of what is still to be done."""


class Priority(StrEnum):
    """How much an item presses, least first."""

    NONE = "none"
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


PRESSING_FIRST = tuple(reversed(Priority))
"""Priorities in the order of a list; the place of one in it is its rank."""


class Type(StrEnum):
    """What kind of work an item is."""

    TASK = "task"
    BUG = "bug"
    EPIC = "epic"
    STORY = "story"
    SPIKE = "spike"
    CHORE = "chore"
    MILESTONE = "milestone"


class Relation(StrEnum):
    """How an item stands to another one, or to a page, as it is asked for."""

    BLOCKS = "blocks"
    BLOCKED_BY = "blocked_by"
    RELATES = "relates"
    DUPLICATES = "duplicates"
    PAGE = "page"


STATUS_WORDS = {
    Status.TODO: "To do",
    Status.IN_PROGRESS: "In progress",
    Status.IN_REVIEW: "In review",
    Status.DONE: "Done",
    Status.CANCELLED: "Cancelled",
    Status.CLOSED: "Closed",
}
