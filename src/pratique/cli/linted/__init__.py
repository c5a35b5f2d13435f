"""What ``pratique lint`` does, step by step."""
