"""Prompt skills: knowledge a message brings in when it says a trigger. Pure, and without Django.

`documents` reads a page, `matching` finds which skills a message triggers, `envelopes` wraps what they say.
"""
