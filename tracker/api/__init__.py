"""The REST door of the tracker."""
