package petrichor.frontends.datastore;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.rpc.Trace;

/**
 * Starts the trace of each request. With a tracer, a request is a span of OpenTelemetry: a child of
 * its client's span or, if another server forwarded it, of the span there. Without a tracer, the
 * trace id that a client sent is only passed on. Thread-safe.
 */
final class RequestTracer {
    private final @Nullable Tracer tracer;

    /**
     * @param tracer null if no spans are recorded
     */
    RequestTracer(@Nullable Tracer tracer) {
        this.tracer = tracer;
    }

    /**
     * @param traceparent header of the request (W3C Trace Context); null if it has none
     */
    RequestSpan start(
            DatastoreMethod method, RequestMetrics.Wire wire, @Nullable String traceparent) {
        if (tracer == null) {
            return new RequestSpan(
                    Span.getInvalid(), traceparent == null ? null : Trace.of(traceparent));
        }
        Context parent = parent(traceparent);
        Span span =
                tracer.spanBuilder(method.fullName())
                        .setParent(parent)
                        .setSpanKind(SpanKind.SERVER)
                        .setAttribute("rpc.system", wire.label())
                        .setAttribute("rpc.service", DatastoreMethod.SERVICE)
                        .setAttribute("rpc.method", method.rpcName())
                        .startSpan();
        SpanContext context = span.getSpanContext();
        boolean received = Span.fromContext(parent).getSpanContext().isValid();
        return new RequestSpan(
                span,
                new Trace(
                        context.getTraceId(),
                        context.getSpanId(),
                        context.getTraceFlags().asHex(),
                        received));
    }

    private static Context parent(@Nullable String traceparent) {
        return traceparent == null
                ? Context.root()
                : W3CTraceContextPropagator.getInstance()
                        .extract(Context.root(), traceparent, OnlyTraceparent.GETTER);
    }

    /** Headers of which only {@code traceparent} is present. */
    private enum OnlyTraceparent implements TextMapGetter<String> {
        GETTER;

        @Override
        public Iterable<String> keys(String traceparent) {
            return List.of(Trace.HEADER);
        }

        @Override
        public @Nullable String get(@Nullable String traceparent, String header) {
            return header.equals(Trace.HEADER) ? traceparent : null;
        }
    }
}
