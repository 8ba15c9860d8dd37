package petrichor.services.fetch;

import java.util.List;

/** Outcome of a fetch. */
public sealed interface FetchResult {
    /**
     * A response, regardless of its status.
     *
     * @param content decompressed if the app did not ask for an encoding itself; owned by the
     *     caller
     * @param truncated whether the response was longer than {@link FetchLimits#RESPONSE_BYTES_MAX}
     * @param finalUrl the URL of the last request; the requested one without redirects
     */
    record Fetched(
            int status,
            List<HeaderField> headers,
            byte[] content,
            boolean truncated,
            String finalUrl)
            implements FetchResult {
        public Fetched {
            headers = List.copyOf(headers);
        }
    }

    /**
     * No response.
     *
     * @param detail for the developer of the app; contains no address of a server
     */
    record Failed(Reason reason, String detail) implements FetchResult {}

    /** App Engine's reasons, as its SDKs distinguish them. */
    enum Reason {
        INVALID_URL,
        /** Refused, or failed in another way. */
        FETCH_ERROR,
        RESPONSE_TOO_LARGE,
        DEADLINE_EXCEEDED,
        SSL_CERTIFICATE_ERROR,
        DNS_ERROR,
        /** The server closed the connection before its response was complete. */
        CLOSED,
        TOO_MANY_REDIRECTS,
        MALFORMED_REPLY,
        CONNECTION_ERROR,
        PAYLOAD_TOO_LARGE
    }
}
