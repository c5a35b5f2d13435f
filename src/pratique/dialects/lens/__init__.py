"""The rewrites between the contract's shape and the wire's, and the text they move back."""
