"""Rules about the code that no public tool knows. Each module is a command and is tested with samples of its own."""
