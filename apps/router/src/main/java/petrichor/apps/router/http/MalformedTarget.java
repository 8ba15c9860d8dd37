package petrichor.apps.router.http;

/**
 * A target that is refused with status 400.
 *
 * @param reason for the client
 */
public record MalformedTarget(String reason) implements ParsedTarget {}
