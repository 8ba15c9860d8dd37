package petrichor.frontends.datastore;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.rpc.CallFailure;

/**
 * Counts failed requests by code and static text, so that operators see which errors become
 * frequent. Thread-safe.
 */
final class ErrorMetrics {
    /** Maximum number of series over all codes; further texts are counted as {@link #OTHER}. */
    static final int SERIES_MAX = 500;

    /** Label for texts of other servers, and for those beyond the limit. */
    static final String OTHER = "other";

    /**
     * Text of exceptions that are not Petrichor's own, and therefore bugs; the log has the stack
     * trace.
     */
    static final String UNEXPECTED = "unexpected failure";

    private record Kind(ErrorCode code, String text) {}

    private final Counter errors;
    private final Map<Kind, CounterDataPoint> series = new ConcurrentHashMap<>();

    ErrorMetrics(PrometheusRegistry registry) {
        this.errors =
                Counter.builder()
                        .name("petrichor_errors_total")
                        .help("Failed requests, by code and static text.")
                        .labelNames("code", "text")
                        .withoutExemplars()
                        .register(registry);
        // Creates the series of bugs with 0, so that the first one counts as an increase.
        var _ = added(new Kind(ErrorCode.INTERNAL, UNEXPECTED));
    }

    /**
     * @return the code sent to the client
     */
    ErrorCode count(Throwable thrown) {
        ErrorCode code = CallFailure.code(thrown);
        Kind kind = new Kind(code, text(CallFailure.cause(thrown)));
        CounterDataPoint known = series.get(kind);
        (known == null ? added(kind) : known).inc();
        return code;
    }

    private static String text(Throwable cause) {
        if (cause instanceof PetrichorException known) {
            return known.staticText().isEmpty() ? OTHER : known.staticText();
        }
        return cause instanceof NotOwner ? "the database is being moved" : UNEXPECTED;
    }

    /** Concurrent additions may exceed the limit by a few. */
    private CounterDataPoint added(Kind kind) {
        Kind counted = series.size() < SERIES_MAX ? kind : new Kind(kind.code(), OTHER);
        return series.computeIfAbsent(
                counted, one -> errors.labelValues(one.code().name(), one.text()));
    }
}
