package petrichor.apps.router.http;

/** What {@link RequestTarget#parse} returns. */
public sealed interface ParsedTarget permits RequestTarget, MalformedTarget {}
