"""What people have, made into subjects: Python objects, JSON files, OpenAPI documents, MCP servers."""
