package petrichor.server;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.server.config.TraceSettings;
import petrichor.server.config.Version;

/**
 * Sends spans to an OpenTelemetry collector. Spans wait in a bounded queue and are dropped while it
 * is full, so that a collector that is slow or unreachable does not slow down requests; the
 * exporter logs its failures. Thread-safe.
 */
final class Tracing implements AutoCloseable {
    private static final String NAME = "petrichor";
    private static final Duration CLOSE_MAX = Duration.ofSeconds(3);

    private final @Nullable SdkTracerProvider provider;

    private Tracing(@Nullable SdkTracerProvider provider) {
        this.provider = provider;
    }

    static Tracing open(TraceSettings settings) {
        return new Tracing(
                settings.endpoint().map(url -> provider(url, settings.sampled())).orElse(null));
    }

    private static SdkTracerProvider provider(URI endpoint, double sampled) {
        OtlpHttpSpanExporter exporter =
                OtlpHttpSpanExporter.builder().setEndpoint(endpoint.toString()).build();
        return SdkTracerProvider.builder()
                .setResource(
                        Resource.builder()
                                .put("service.name", NAME)
                                .put("service.version", Version.text())
                                .put("service.instance.id", UUID.randomUUID().toString())
                                .build())
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(sampled)))
                .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
                .build();
    }

    /** Null if no spans are recorded. */
    @Nullable Tracer tracer() {
        return provider == null ? null : provider.get(NAME, Version.text());
    }

    /** Sends what is queued, for at most {@link #CLOSE_MAX}. */
    @Override
    public void close() {
        if (provider != null) {
            var _ = provider.shutdown().join(CLOSE_MAX.toMillis(), TimeUnit.MILLISECONDS);
        }
    }
}
