"""Examples that run: a contract, two reconstructions of a broken run, and the demo that judges them."""
