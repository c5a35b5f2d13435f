"""The servers whose tool lists are read: real ones, installed by name and exact version, started without a network.

Each of them was seen to answer ``tools/list`` on standard input and output with no network and no true key. What
was tried and does not is named in ``REFUSED``. Keys are plain dummies: a server that wants one gets ``DUMMY``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["DUMMY", "REFUSED", "SERVERS", "Registry", "Server"]

DUMMY = "dummy-not-a-key"
"""Stands wherever a server wants a key: it opens nothing, and no server checks it before it lists its tools."""


class Registry(StrEnum):
    """Say where a server is installed from."""

    NPM = "npm"
    PYPI = "pypi"


@dataclass(frozen=True, slots=True)
class Server:
    """One server: what is installed, and how it is started.

    Limits: it is started in an empty folder of its own, so "." in ``arguments`` is that folder.
    """

    name: str
    """Names its folder and its saved list."""
    registry: Registry
    package: str
    version: str
    program: str
    """The command that the package installs."""
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    """Further requirements, where the newest of what the package asks for no longer suits it."""


def _npm(
    name: str, package: str, version: str, program: str, *arguments: str, environment: Mapping[str, str] | None = None
) -> Server:
    return Server(name, Registry.NPM, package, version, program, arguments, environment or {})


def _pypi(
    package: str,
    version: str,
    *arguments: str,
    program: str = "",
    environment: Mapping[str, str] | None = None,
    beside: tuple[str, ...] = (),
) -> Server:
    return Server(package, Registry.PYPI, package, version, program or package, arguments, environment or {}, beside)


SERVERS = (
    # The protocol's own, written in TypeScript.
    _npm("server-everything", "@modelcontextprotocol/server-everything", "2026.8.31", "mcp-server-everything"),
    _npm("server-filesystem", "@modelcontextprotocol/server-filesystem", "2026.8.31", "mcp-server-filesystem", "."),
    _npm(
        "server-github",
        "@modelcontextprotocol/server-github",
        "2025.4.8",
        "mcp-server-github",
        environment={"GITHUB_PERSONAL_ACCESS_TOKEN": DUMMY},
    ),
    _npm("server-memory", "@modelcontextprotocol/server-memory", "2026.8.31", "mcp-server-memory"),
    _npm(
        "server-sequential-thinking",
        "@modelcontextprotocol/server-sequential-thinking",
        "2026.8.31",
        "mcp-server-sequential-thinking",
    ),
    # From the vendors and from others, for Node.
    _npm("azure", "@azure/mcp", "2.0.5", "azmcp", "server", "start"),
    _npm(
        "brave-search",
        "@brave/brave-search-mcp-server",
        "2.1.4",
        "brave-search-mcp-server",
        "--transport",
        "stdio",
        environment={"BRAVE_API_KEY": DUMMY},
    ),
    _npm("chrome-devtools", "chrome-devtools-mcp", "1.11.0", "chrome-devtools-mcp", "--no-usage-statistics"),
    _npm("context7", "@upstash/context7-mcp", "4.1.1", "context7-mcp"),
    _npm("desktop-commander", "@wonderwhy-er/desktop-commander", "0.2.52", "desktop-commander"),
    _npm("exa", "exa-mcp-server", "3.4.1", "exa-mcp-server", environment={"EXA_API_KEY": DUMMY}),
    _npm(
        "figma", "figma-developer-mcp", "0.13.2", "figma-developer-mcp", "--stdio", environment={"FIGMA_API_KEY": DUMMY}
    ),
    _npm("firecrawl", "firecrawl-mcp", "3.26.0", "firecrawl-mcp", environment={"FIRECRAWL_API_KEY": DUMMY}),
    _npm(
        "gitlab",
        "@zereight/mcp-gitlab",
        "2.1.64",
        "mcp-gitlab",
        environment={"GITLAB_PERSONAL_ACCESS_TOKEN": DUMMY},
    ),
    _npm("mongodb", "mongodb-mcp-server", "3.0.4", "mongodb-mcp-server", "--telemetry", "disabled"),
    _npm(
        "n8n",
        "n8n-mcp",
        "2.87.0",
        "n8n-mcp",
        environment={"MCP_MODE": "stdio", "N8N_MCP_TELEMETRY_DISABLED": "true"},
    ),
    _npm("notion", "@notionhq/notion-mcp-server", "2.5.2", "notion-mcp-server", environment={"NOTION_TOKEN": DUMMY}),
    _npm("playwright", "@playwright/mcp", "0.0.83", "playwright-mcp"),
    _npm("sentry", "@sentry/mcp-server", "0.39.0", "sentry-mcp", environment={"SENTRY_ACCESS_TOKEN": DUMMY}),
    _npm(
        "supabase",
        "@supabase/mcp-server-supabase",
        "0.13.0",
        "mcp-server-supabase",
        # All features but "docs", whose one tool fetches its own description from the network.
        "--features=account,branching,database,debugging,development,functions,storage",
        environment={"SUPABASE_ACCESS_TOKEN": DUMMY},
    ),
    _npm("tavily", "tavily-mcp", "0.2.22", "tavily-mcp", environment={"TAVILY_API_KEY": DUMMY}),
    # The protocol's own, written in Python.
    _pypi("mcp-server-fetch", "2026.10.24"),
    _pypi("mcp-server-git", "2026.10.19"),
    _pypi("mcp-server-sqlite", "2025.4.25", "--db-path", "lint.db", beside=("mcp<2",)),
    _pypi("mcp-server-time", "2026.10.19"),
    # From the vendors and from others, for Python.
    _pypi("arxiv-mcp-server", "0.8.2"),
    _pypi("awslabs-aws-documentation-mcp-server", "1.2.3", program="awslabs.aws-documentation-mcp-server"),
    _pypi("duckduckgo-mcp-server", "0.7.0"),
    _pypi("excel-mcp-server", "2.2.2", "stdio"),
    _pypi(
        "mcp-atlassian",
        "0.23.1",
        environment={
            "CONFLUENCE_API_TOKEN": DUMMY,
            "CONFLUENCE_URL": "https://wiki.invalid",
            "CONFLUENCE_USERNAME": "dummy",
            "JIRA_API_TOKEN": DUMMY,
            "JIRA_URL": "https://jira.invalid",
            "JIRA_USERNAME": "dummy",
        },
    ),
    _pypi(
        "mcp-clickhouse",
        "0.7.0",
        environment={"CLICKHOUSE_HOST": "localhost", "CLICKHOUSE_PASSWORD": DUMMY, "CLICKHOUSE_USER": "dummy"},
    ),
    _pypi("redis-mcp-server", "0.5.1", "--url", "redis://localhost:6379/0"),
    _pypi(
        "workspace-mcp",
        "2.2.1",
        environment={"GOOGLE_OAUTH_CLIENT_ID": DUMMY, "GOOGLE_OAUTH_CLIENT_SECRET": DUMMY},
    ),
)

REFUSED = {
    "@stripe/mcp 0.3.3": "a relay: it hands each request on to the vendor's own server, also initialize",
    "awslabs-aws-api-mcp-server 1.5.6": "fetches a list of services before it answers, and ends without it",
    "mcp-server-qdrant 0.8.1": "loads an embedding model from a hub before it answers, and waits for it",
}
"""Servers that were tried and do not list their tools without a network, with the reason."""
