package petrichor.frontends.datastore;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.frontends.access.AccessAttempt;
import petrichor.rpc.Trace;

/**
 * Counts what both wires do, and writes every request to the log if that is wanted (debug). Safe
 * for any thread; counting takes no lock.
 */
final class RequestMetrics {
    private static final Logger LOG = LoggerFactory.getLogger("petrichor.requests");

    /** Upper bounds of the latency buckets, seconds. */
    private static final double[] BOUNDS_S = {
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
    };

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MILLISECOND = 1e6;
    private static final String OK = "OK";
    private static final String CANCELLED = "CANCELLED";

    /** How a request came in. */
    enum Wire {
        GRPC,
        REST
    }

    private final Map<DatastoreMethod, Series> overGrpc = perMethod();
    private final Map<DatastoreMethod, Series> overRest = perMethod();
    private final LongAdder bytesIn = new LongAdder();
    private final LongAdder bytesOut = new LongAdder();
    private final AtomicLong running = new AtomicLong();

    /**
     * @param trace asked only for the log; null when the request belongs to none
     * @param attempt ends with the request; null for one that another server has admitted
     */
    Running begin(
            DatastoreMethod method,
            Wire wire,
            Supplier<@Nullable Trace> trace,
            @Nullable AccessAttempt attempt) {
        running.incrementAndGet();
        return new Running(method, wire, trace, attempt);
    }

    private Series one(DatastoreMethod method, Wire wire) {
        return requireNonNull(
                switch (wire) {
                    case GRPC -> overGrpc.get(method);
                    case REST -> overRest.get(method);
                });
    }

    private static Map<DatastoreMethod, Series> perMethod() {
        Map<DatastoreMethod, Series> all = new EnumMap<>(DatastoreMethod.class);
        for (DatastoreMethod method : DatastoreMethod.values()) {
            all.put(method, new Series());
        }
        return all;
    }

    /** Requests that have begun and not ended. */
    long running() {
        return running.get();
    }

    /** One request, from its beginning to exactly one of its ends. */
    final class Running {
        private final DatastoreMethod method;
        private final Wire wire;
        private final Supplier<@Nullable Trace> trace;
        private final @Nullable AccessAttempt attempt;
        private final long begun = System.nanoTime();

        private Running(
                DatastoreMethod method,
                Wire wire,
                Supplier<@Nullable Trace> trace,
                @Nullable AccessAttempt attempt) {
            this.method = method;
            this.wire = wire;
            this.trace = trace;
            this.attempt = attempt;
        }

        void received(int bytes) {
            bytesIn.add(bytes);
        }

        void succeeded(int bytes) {
            bytesOut.add(bytes);
            end(OK);
        }

        void failed(ErrorCode code) {
            end(code.name());
        }

        void cancelled() {
            end(CANCELLED);
        }

        private void end(String outcome) {
            running.decrementAndGet();
            long took = System.nanoTime() - begun;
            one(method, wire).add(outcome, took);
            if (attempt != null) {
                attempt.end(outcome);
            }
            if (LOG.isDebugEnabled()) {
                log(outcome, took);
            }
        }

        private void log(String outcome, long took) {
            Trace known = trace.get();
            try (var _ = known == null ? null : known.inLogs()) {
                LOG.debug(
                        "{} over {}: {} after {} ms",
                        method.rpcName(),
                        label(wire),
                        outcome,
                        took / NANOS_PER_MILLISECOND);
            }
        }
    }

    /** Writes everything in Prometheus' text format. */
    void write(StringBuilder out) {
        out.append("# HELP petrichor_requests_total Requests answered.\n");
        out.append("# TYPE petrichor_requests_total counter\n");
        each(
                (method, wire, one) -> {
                    for (Map.Entry<String, LongAdder> outcome : one.outcomes.entrySet()) {
                        out.append("petrichor_requests_total{")
                                .append(labels(method, wire))
                                .append(",code=\"")
                                .append(outcome.getKey())
                                .append("\"} ")
                                .append(outcome.getValue().sum())
                                .append('\n');
                    }
                });
        out.append(
                "# HELP petrichor_request_seconds Time from a request's headers to its answer.\n");
        out.append("# TYPE petrichor_request_seconds histogram\n");
        each((method, wire, one) -> one.writeLatency(out, labels(method, wire)));
        counter(out, "petrichor_request_bytes_total", "Request messages received, bytes.", bytesIn);
        counter(out, "petrichor_response_bytes_total", "Response messages sent, bytes.", bytesOut);
        out.append("# HELP petrichor_requests_running Requests not yet answered.\n");
        out.append("# TYPE petrichor_requests_running gauge\n");
        out.append("petrichor_requests_running ").append(running.get()).append('\n');
    }

    private static void counter(StringBuilder out, String name, String help, LongAdder value) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(" counter\n");
        out.append(name).append(' ').append(value.sum()).append('\n');
    }

    private interface Each {
        void visit(DatastoreMethod method, Wire wire, Series one);
    }

    private void each(Each visitor) {
        for (DatastoreMethod method : DatastoreMethod.values()) {
            for (Wire wire : Wire.values()) {
                Series one = one(method, wire);
                if (one.count.sum() > 0) {
                    visitor.visit(method, wire, one);
                }
            }
        }
    }

    private static String label(Wire wire) {
        return wire.name().toLowerCase(Locale.ROOT);
    }

    private static String labels(DatastoreMethod method, Wire wire) {
        return "method=\"" + method.rpcName() + "\",wire=\"" + label(wire) + "\"";
    }

    /** What is known of one method on one wire. */
    private static final class Series {
        final Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
        final LongAdder[] buckets = adders(BOUNDS_S.length + 1);
        final LongAdder count = new LongAdder();
        final LongAdder nanos = new LongAdder();

        void add(String outcome, long took) {
            outcomes.computeIfAbsent(outcome, _ -> new LongAdder()).increment();
            int bucket = 0;
            while (bucket < BOUNDS_S.length && took > BOUNDS_S[bucket] * NANOS_PER_SECOND) {
                bucket++;
            }
            buckets[bucket].increment();
            count.increment();
            nanos.add(took);
        }

        void writeLatency(StringBuilder out, String labels) {
            long below = 0;
            for (int i = 0; i <= BOUNDS_S.length; i++) {
                below += buckets[i].sum();
                out.append("petrichor_request_seconds_bucket{")
                        .append(labels)
                        .append(",le=\"")
                        .append(i == BOUNDS_S.length ? "+Inf" : String.valueOf(BOUNDS_S[i]))
                        .append("\"} ")
                        .append(below)
                        .append('\n');
            }
            out.append("petrichor_request_seconds_sum{")
                    .append(labels)
                    .append("} ")
                    .append(nanos.sum() / NANOS_PER_SECOND)
                    .append('\n');
            out.append("petrichor_request_seconds_count{")
                    .append(labels)
                    .append("} ")
                    .append(below)
                    .append('\n');
        }

        private static LongAdder[] adders(int count) {
            LongAdder[] adders = new LongAdder[count];
            for (int i = 0; i < count; i++) {
                adders[i] = new LongAdder();
            }
            return adders;
        }
    }
}
