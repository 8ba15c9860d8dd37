package petrichor.rpc;

import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * A request's place in a distributed trace (W3C Trace Context, header {@code traceparent}).
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 hexadecimal digits: our own part of the trace
 * @param flags two hexadecimal digits, as received
 * @param received the client sent it, so it is sent back
 */
public record Trace(String traceId, String spanId, String flags, boolean received) {
    public static final String HEADER = "traceparent";

    private static final Pattern TRACEPARENT =
            Pattern.compile(
                    "(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?");

    /** Continues the trace that a header names; begins one if there is none or it is malformed. */
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

    /** Log lines of this thread carry the trace id until the result is closed. */
    public MDC.MDCCloseable inLogs() {
        return MDC.putCloseable("trace", traceId);
    }

    private static String hex() {
        // 0 is the one value that the standard forbids
        long random = ThreadLocalRandom.current().nextLong();
        return "%016x".formatted(random == 0 ? 1 : random);
    }
}
