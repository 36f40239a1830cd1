"""A django-wiki site to stand beside: its documented installation, its own defaults, nothing tuned against it.

Runs in an environment of its own (`requirements-bench.txt`), on the same Postgres and the same uvicorn, with DEBUG off,
cached templates, pooled connections, and the database-backed sessions both sites use.
"""
