package petrichor.frontends.datastore;

import org.jspecify.annotations.Nullable;

/**
 * An answer over HTTP.
 *
 * @param traceparent to be sent back; null if the client sent none
 */
record HttpReply(int status, String mediaType, byte[] body, @Nullable String traceparent) {}
