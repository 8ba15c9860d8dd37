package petrichor.frontends.datastore;

import io.opentelemetry.api.trace.Tracer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.access.AuditLog;

/**
 * Receivers of what a front end reports about its requests. All of them belong to the caller.
 *
 * @param audit gets a record of each audited request
 * @param metrics gets the metrics of both wires
 * @param tracer gets a span for each request; null if no spans are recorded
 */
public record Observability(AuditLog audit, PrometheusRegistry metrics, @Nullable Tracer tracer) {
    /** No audit log and no spans; metrics that are not exposed. */
    public static Observability none() {
        return new Observability(AuditLog.off(), new PrometheusRegistry(), null);
    }
}
