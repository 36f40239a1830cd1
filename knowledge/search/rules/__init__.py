"""Pure rules of search: what a text's tokens are, how rankings are fused, what a snippet shows, what an answer says."""
