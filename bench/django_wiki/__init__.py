"""A django-wiki site to stand beside: its documented installation, its own defaults, nothing tuned against it.

Runs on the same Postgres and the same uvicorn, with DEBUG off, cached templates, pooled connections, and sessions in
the database that both sites use.
"""
