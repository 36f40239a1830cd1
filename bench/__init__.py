"""Measures the product on the machine it runs on, with tools that anybody can run: `./crewlet bench [name…]`."""
