"""Rules about what a schema asks of a model: its shape, its words, what it leaves open. One file a rule."""
