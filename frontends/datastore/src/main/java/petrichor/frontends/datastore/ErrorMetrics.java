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
 * Counts failed requests by code and static text, so that an operator sees which error becomes
 * frequent. Safe for any thread.
 */
final class ErrorMetrics {
    /** Series of all codes; the text of what comes after that is {@link #OTHER}. */
    static final int SERIES_MAX = 500;

    /**
     * Texts that came from elsewhere, such as those of another server, and those beyond the limit.
     */
    static final String OTHER = "other";

    /** What is no failure of ours is a defect; the log has its stack trace. */
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
        // The first defect is an increase as well, which a series that appears with 1 hides.
        var _ = added(new Kind(ErrorCode.INTERNAL, UNEXPECTED));
    }

    /**
     * @return the code that the client will see
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

    /** A few more than the limit if several threads add one at the same time. */
    private CounterDataPoint added(Kind kind) {
        Kind counted = series.size() < SERIES_MAX ? kind : new Kind(kind.code(), OTHER);
        return series.computeIfAbsent(
                counted, one -> errors.labelValues(one.code().name(), one.text()));
    }
}
