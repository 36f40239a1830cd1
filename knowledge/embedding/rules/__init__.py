"""Pure rules of embedding. No clock: whoever asks says what time it is."""
