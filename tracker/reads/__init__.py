"""What more than one door asks of the tracker, narrowed by who asks."""
