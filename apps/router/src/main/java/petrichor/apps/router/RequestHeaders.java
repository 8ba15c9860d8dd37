package petrichor.apps.router;

import io.netty.handler.codec.http.HttpHeaders;

/**
 * Sets the header fields that apps trust: ticket, address and country of the user, the id of the
 * request in the log, trace id. The router has removed the client's fields of these names before.
 * Called by event loops: must not block. Thread-safe.
 */
@FunctionalInterface
public interface RequestHeaders {
    /** Called once per request that goes to an instance, before the first attempt. */
    void set(RequestView request, HttpHeaders headers);

    /**
     * Called once per request that another server of the cluster has forwarded, with the fields
     * that {@link #set} has set there.
     */
    default void arrived(RequestView request, HttpHeaders headers) {}

    /** Called when the exchange has ended, for example to end the validity of a ticket. */
    default void ended(RequestView request) {}

    /** {@code X-Forwarded-*}, {@code Forwarded}'s predecessor, and the trace as W3C and Google. */
    static RequestHeaders forwarded() {
        return (request, headers) -> {
            headers.set(ForwardedFields.FOR, request.client().address());
            headers.set(ForwardedFields.PROTO, request.client().secure() ? "https" : "http");
            headers.set(ForwardedFields.HOST, request.authority());
            headers.set(ForwardedFields.GOOGLE_TRACE, request.ids().trace() + "/1");
            headers.set(
                    ForwardedFields.TRACE,
                    "00-" + request.ids().trace() + "-" + request.ids().span() + "-01");
        };
    }

    /** Sets the fields of both. */
    default RequestHeaders and(RequestHeaders other) {
        RequestHeaders first = this;
        return new RequestHeaders() {
            @Override
            public void set(RequestView request, HttpHeaders headers) {
                first.set(request, headers);
                other.set(request, headers);
            }

            @Override
            public void ended(RequestView request) {
                first.ended(request);
                other.ended(request);
            }
        };
    }
}
