"""What ``pratique compile`` does, each part imported when it is called."""
