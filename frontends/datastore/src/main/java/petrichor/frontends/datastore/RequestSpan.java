package petrichor.frontends.datastore;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import org.jspecify.annotations.Nullable;
import petrichor.rpc.Trace;

/**
 * The span of one request. Thread-safe.
 *
 * @param span invalid if spans are not recorded
 * @param trace passed on with forwarded calls and written to the log; null if there is none
 */
record RequestSpan(Span span, @Nullable Trace trace) {
    void about(RequestHead head) {
        if (span.isRecording()) {
            span.setAttribute("db.system.name", "petrichor");
            span.setAttribute("db.namespace", head.database());
        }
    }

    /**
     * @param outcome OK or the code of the error
     */
    void end(String outcome) {
        if (span.isRecording()) {
            span.setAttribute("rpc.response.status_code", outcome);
            if (!outcome.equals(RequestMetrics.OK)) {
                span.setStatus(StatusCode.ERROR);
                span.setAttribute("error.type", outcome);
            }
        }
        span.end();
    }
}
