package petrichor.server.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import petrichor.frontends.http.Page;

/** {@code /metrics} in Prometheus' text format, or in OpenMetrics if the scraper accepts it. */
public final class MetricsPage {
    private static final ExpositionFormats FORMATS = ExpositionFormats.init();
    private static final int EXPECTED_BYTES = 32_768;

    private final PrometheusRegistry registry;

    public MetricsPage(PrometheusRegistry registry) {
        this.registry = registry;
    }

    public Page page() {
        return new Page("GET", "/metrics", Page.Access.TOKEN, Page.Lane.HEALTH, this::answer);
    }

    /**
     * Chooses the format. {@link ExpositionFormats#findWriter} could also choose Protocol Buffers
     * and then fail, because its writer is in a module that Petrichor does not ship.
     */
    private static ExpositionFormatWriter format(String accept) {
        ExpositionFormatWriter open = FORMATS.getOpenMetricsTextFormatWriter();
        return open.accepts(accept) ? open : FORMATS.getPrometheusTextFormatWriter();
    }

    private Page.Answer answer(Page.Request request) {
        ExpositionFormatWriter format = format(request.accept());
        ByteArrayOutputStream out = new ByteArrayOutputStream(EXPECTED_BYTES);
        try {
            format.write(out, registry.scrape());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Page.Answer.bytes(200, format.getContentType(), out.toByteArray());
    }
}
