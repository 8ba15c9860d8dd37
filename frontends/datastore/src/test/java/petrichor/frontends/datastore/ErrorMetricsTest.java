package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class ErrorMetricsTest {
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private final ErrorMetrics errors = new ErrorMetrics(registry);

    private Map<String, Double> counted() {
        return registry.scrape().stream()
                .map(CounterSnapshot.class::cast)
                .map(CounterSnapshot::getDataPoints)
                .flatMap(List::stream)
                .filter(point -> point.getValue() > 0)
                .collect(
                        Collectors.toMap(
                                point ->
                                        point.getLabels().get("code")
                                                + ": "
                                                + point.getLabels().get("text"),
                                CounterDataPointSnapshot::getValue));
    }

    @Test
    void errorsAreCountedByTheirStaticText() {
        errors.count(PetrichorException.invalid("the kind {kind} is unknown", "kind", "A"));
        errors.count(
                new CompletionException(
                        PetrichorException.invalid("the kind {kind} is unknown", "kind", "B")));
        assertThat(counted())
                .isEqualTo(Map.of("INVALID_ARGUMENT: the kind {kind} is unknown", 2.0));
    }

    @Test
    void textsFromElsewhereAndDefectsHaveOneSeriesForEachCode() {
        errors.count(new PetrichorException(ErrorCode.ABORTED, "of another server"));
        errors.count(new PetrichorException(ErrorCode.ABORTED, "of a third one"));
        errors.count(new IllegalStateException("quotes what a client sent"));
        assertThat(counted())
                .isEqualTo(Map.of("ABORTED: other", 2.0, "INTERNAL: unexpected failure", 1.0));
    }

    @Test
    void theNumberOfSeriesIsLimited() {
        Function<Integer, PetrichorException> failure =
                i -> PetrichorException.invalid("text number " + i);
        for (int i = 0; i < ErrorMetrics.SERIES_MAX + 100; i++) {
            errors.count(failure.apply(i));
        }
        errors.count(failure.apply(0));
        assertThat(counted())
                .hasSize(ErrorMetrics.SERIES_MAX)
                .containsEntry("INVALID_ARGUMENT: other", 101.0)
                .containsEntry("INVALID_ARGUMENT: text number 0", 2.0);
    }
}
