"""What ``pratique audit`` does, command by command."""
