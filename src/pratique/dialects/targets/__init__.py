"""One file a target: its profile and the shape of its requests. Each defines ``DIALECT`` and nothing else in public."""
