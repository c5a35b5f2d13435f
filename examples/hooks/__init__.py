"""The hooks at work: one file a framework, with a model that is made up and no network."""
