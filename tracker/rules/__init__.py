"""Decisions of the tracker on plain values."""
