"""Rules about what one endpoint takes: its profile's table, counted and compared. One file a rule."""
