"""What the commands of ``pratique quarantine`` do: one noun a file."""
