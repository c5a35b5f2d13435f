"""What ``pratique budget`` does, command by command."""
