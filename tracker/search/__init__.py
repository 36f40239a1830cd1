"""Items as they are searched: the corpus they are, and the asking."""
