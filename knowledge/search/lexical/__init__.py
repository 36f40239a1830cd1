"""The lexical index: tantivy in a folder of this host, written by one process, read by all. It can be deleted at any
time; it says that it is building and fills again from the rows."""
