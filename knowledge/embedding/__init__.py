"""Embedding: what stands for a document's meaning, who computes it, and the duty that keeps every document's vector
current. `rules` decides what to send and what an answer means; `providers` answer; the duty reads, asks and writes."""
