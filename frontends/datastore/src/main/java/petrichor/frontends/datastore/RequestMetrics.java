package petrichor.frontends.datastore;

import static java.util.Objects.requireNonNull;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.datapoints.DistributionDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.rpc.Trace;

/**
 * Request metrics of both protocols; also logs every request at debug level. Thread-safe; counting
 * is lock-free.
 */
final class RequestMetrics {
    private static final Logger LOG = LoggerFactory.getLogger("petrichor.requests");

    /** Upper bounds of the latency buckets, seconds. */
    private static final double[] BOUNDS_S = {
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
    };

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLISECOND = 1e6;
    static final String OK = "OK";
    private static final String CANCELLED = "CANCELLED";

    /** The protocol of a request. */
    enum Wire {
        GRPC,
        REST;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Counter requests;
    private final Histogram seconds;
    private final Counter bytesIn;
    private final Counter bytesOut;
    private final ErrorMetrics errors;
    private final Map<DatastoreMethod, Series> overGrpc;
    private final Map<DatastoreMethod, Series> overRest;
    private final RequestTracer tracer;
    private final AtomicLong running = new AtomicLong();

    RequestMetrics(PrometheusRegistry registry, RequestTracer tracer) {
        this.tracer = tracer;
        this.requests =
                Counter.builder()
                        .name("petrichor_requests_total")
                        .help("Completed requests.")
                        .labelNames("method", "wire", "code")
                        .withoutExemplars()
                        .register(registry);
        this.seconds =
                Histogram.builder()
                        .name("petrichor_request_seconds")
                        .help("Time from a request's headers to its response.")
                        .labelNames("method", "wire")
                        .classicOnly()
                        .classicUpperBounds(BOUNDS_S)
                        .withoutExemplars()
                        .register(registry);
        this.bytesIn =
                bytes(
                        "petrichor_request_bytes_total",
                        "Request messages received, bytes.",
                        registry);
        this.bytesOut =
                bytes("petrichor_response_bytes_total", "Response messages sent, bytes.", registry);
        var _ =
                GaugeWithCallback.builder()
                        .name("petrichor_requests_running")
                        .help("Requests being executed.")
                        .callback(now -> now.call((double) running.get()))
                        .register(registry);
        this.errors = new ErrorMetrics(registry);
        this.overGrpc = perMethod(Wire.GRPC);
        this.overRest = perMethod(Wire.REST);
    }

    private static Counter bytes(String name, String help, PrometheusRegistry registry) {
        return Counter.builder().name(name).help(help).withoutExemplars().register(registry);
    }

    /**
     * @param traceparent header of the request; null if it has none
     * @param attempt ends with the request; null for one that another server has admitted
     */
    Running begin(
            DatastoreMethod method,
            Wire wire,
            @Nullable String traceparent,
            @Nullable AccessAttempt attempt) {
        running.incrementAndGet();
        return new Running(method, wire, tracer.start(method, wire, traceparent), attempt);
    }

    private Series one(DatastoreMethod method, Wire wire) {
        return requireNonNull(
                switch (wire) {
                    case GRPC -> overGrpc.get(method);
                    case REST -> overRest.get(method);
                });
    }

    private Map<DatastoreMethod, Series> perMethod(Wire wire) {
        Map<DatastoreMethod, Series> all = new EnumMap<>(DatastoreMethod.class);
        for (DatastoreMethod method : DatastoreMethod.values()) {
            all.put(method, new Series(method, wire));
        }
        return all;
    }

    /** Counts a request that was refused before its method was known. */
    void refused(PetrichorException refusal) {
        var _ = errors.count(refusal);
    }

    /** The number of requests being executed. */
    long running() {
        return running.get();
    }

    /** One request, from its start to exactly one end. */
    final class Running {
        private final DatastoreMethod method;
        private final Wire wire;
        private final RequestSpan span;
        private final @Nullable AccessAttempt attempt;
        private final long started = System.nanoTime();

        private Running(
                DatastoreMethod method,
                Wire wire,
                RequestSpan span,
                @Nullable AccessAttempt attempt) {
            this.method = method;
            this.wire = wire;
            this.span = span;
            this.attempt = attempt;
        }

        /** Null if the request belongs to no trace. */
        @Nullable Trace trace() {
            return span.trace();
        }

        void about(RequestHead head) {
            span.about(head);
        }

        void received(int bytes) {
            bytesIn.inc(bytes);
        }

        void succeeded(int bytes) {
            bytesOut.inc(bytes);
            end(OK);
        }

        void failed(Throwable failure) {
            end(errors.count(failure).name());
        }

        void cancelled() {
            end(CANCELLED);
        }

        private void end(String outcome) {
            running.decrementAndGet();
            long took = System.nanoTime() - started;
            one(method, wire).add(outcome, took);
            span.end(outcome);
            if (attempt != null) {
                attempt.end(outcome);
            }
            if (LOG.isDebugEnabled()) {
                log(outcome, took);
            }
        }

        private void log(String outcome, long took) {
            Trace known = span.trace();
            try (var _ = known == null ? null : known.inLogs()) {
                LOG.debug(
                        "{} over {}: {} after {} ms",
                        method.rpcName(),
                        wire.label(),
                        outcome,
                        took / NANOS_PER_MILLISECOND);
            }
        }
    }

    /** What is known of one method on one wire. */
    private final class Series {
        private final String method;
        private final String wire;
        private final Map<String, CounterDataPoint> outcomes = new ConcurrentHashMap<>();
        private volatile @Nullable DistributionDataPoint latency;

        Series(DatastoreMethod method, Wire wire) {
            this.method = method.rpcName();
            this.wire = wire.label();
            // The first success is an increase as well, which a series that appears with 1 hides.
            ended(OK);
        }

        void add(String outcome, long tookNanos) {
            CounterDataPoint known = outcomes.get(outcome);
            (known == null ? ended(outcome) : known).inc();
            DistributionDataPoint distribution = latency;
            (distribution == null ? firstLatency() : distribution)
                    .observe(tookNanos / NANOS_PER_SECOND);
        }

        private CounterDataPoint ended(String outcome) {
            return outcomes.computeIfAbsent(
                    outcome, code -> requests.labelValues(method, wire, code));
        }

        /**
         * Created on the first call, because the histogram of an unused method would be seventeen
         * zeros.
         */
        private DistributionDataPoint firstLatency() {
            DistributionDataPoint first = seconds.labelValues(method, wire);
            latency = first;
            return first;
        }
    }
}
