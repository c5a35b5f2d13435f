"""What a fix is made of: the unified type of a union, as a schema and as Python source with its converter."""
