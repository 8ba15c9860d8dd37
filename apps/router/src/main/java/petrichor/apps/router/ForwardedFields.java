package petrichor.apps.router;

import io.netty.util.AsciiString;

/** Names of fields that the router sets. */
final class ForwardedFields {
    static final AsciiString FOR = AsciiString.cached("X-Forwarded-For");
    static final AsciiString PROTO = AsciiString.cached("X-Forwarded-Proto");
    static final AsciiString HOST = AsciiString.cached("X-Forwarded-Host");
    static final AsciiString GOOGLE_TRACE = AsciiString.cached("X-Cloud-Trace-Context");
    static final AsciiString TRACE = AsciiString.cached("traceparent");

    private ForwardedFields() {}
}
