"""A deployment in one file, and back: the database as it was at one moment, the attachments it names, the key."""
