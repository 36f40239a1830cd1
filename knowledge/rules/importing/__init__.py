"""Bringing pages in, decided without a database: names, documents, links, and what becomes of each file."""
