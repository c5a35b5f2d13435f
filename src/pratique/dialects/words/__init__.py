"""The contract in words: phrases for keywords, a worked example, the whole text, and how long an answer can be."""
