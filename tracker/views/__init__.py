"""The screens of the tracker."""
