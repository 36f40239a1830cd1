"""Every write of the tracker: one function a verb."""
