package petrichor.rpc;

import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * A request's position in a distributed trace (W3C Trace Context, header {@code traceparent}).
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 hexadecimal digits: this server's span
 * @param flags two hexadecimal digits, as received
 * @param received whether the client sent it, so that it is returned
 */
public record Trace(String traceId, String spanId, String flags, boolean received) {
    public static final String HEADER = "traceparent";

    private static final Pattern TRACEPARENT =
            Pattern.compile(
                    "(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");

    /** Continues the trace in a header; starts a new one if the header is missing or malformed. */
    public static Trace of(@Nullable String traceparent) {
        if (traceparent != null && TRACEPARENT.matcher(traceparent).matches()) {
            return new Trace(
                    traceparent.substring(3, 35), hex(), traceparent.substring(53, 55), true);
        }
        return new Trace(hex() + hex(), hex(), "00", false);
    }

    public String traceparent() {
        return "00-" + traceId + "-" + spanId + "-" + flags;
    }

    /** Adds the trace id to log lines of this thread until the result is closed. */
    public MDC.MDCCloseable inLogs() {
        return MDC.putCloseable("trace", traceId);
    }

    private static String hex() {
        // 0 is the one value that the standard forbids
        long random = ThreadLocalRandom.current().nextLong();
        return "%016x".formatted(random == 0 ? 1 : random);
    }
}
