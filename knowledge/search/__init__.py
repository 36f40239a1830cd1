"""Search: by words (`lexical`), by meaning, by both; `rules` holds what is decided without a database or a clock."""
