"""What the company tells the apps above it, which it does not know."""

from django.dispatch import Signal

document_applied = Signal()
"""A revision was activated. Sent inside the write's transaction with `revision` (the row), `company` (the company it
describes) and `actor`; what a receiver writes commits with the revision, and what it raises undoes the apply."""
