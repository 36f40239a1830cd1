"""The work tracker: projects, items, and what a team does with them."""
