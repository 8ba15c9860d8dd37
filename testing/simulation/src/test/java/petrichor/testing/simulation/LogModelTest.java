package petrichor.testing.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.testing.simulation.LogGuard.Form;

/**
 * Explores all states of a log with checkpoint and removal: no violation with all guards, and at
 * least one without any single guard.
 */
final class LogModelTest {
    private static final int STATES_MAX = 4_000_000;

    /**
     * Limit of a search for a violation; a violation not found within it may be found by another
     * search.
     */
    private static final int STATES_SEARCHED_MAX = 200_000;

    /**
     * The size of the model.
     *
     * @param transactions each tried once
     * @param processes each elected once
     * @param takenBack how often one of them takes the log back
     */
    private record Size(int transactions, int processes, int takenBack) {
        LogModel model(Form form, Set<LogGuard> guards) {
            return new LogModel(form, guards, transactions, processes, takenBack);
        }
    }

    private static final List<Size> SMALL_FIRST =
            List.of(
                    new Size(1, 2, 0),
                    new Size(1, 2, 1),
                    new Size(2, 2, 0),
                    new Size(2, 2, 1),
                    new Size(1, 3, 0));

    @ParameterizedTest
    @CsvSource({
        "CONDITIONAL, 1, 3, 0",
        "CONDITIONAL, 1, 2, 1",
        "CONDITIONAL, 2, 2, 0",
        "PLAIN, 1, 3, 0",
        "PLAIN, 1, 2, 1",
        "PLAIN, 2, 2, 0"
    })
    void withAllGuardsThereIsNoViolation(
            Form form, int transactions, int processes, int takenBack) {
        assertRight(form, new Size(transactions, processes, takenBack));
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"CONDITIONAL, 2, 2, 1", "CONDITIONAL, 2, 3, 0", "PLAIN, 2, 2, 1"})
    void withAllGuardsLargerModelsHaveNoViolation(
            Form form, int transactions, int processes, int takenBack) {
        assertRight(form, new Size(transactions, processes, takenBack));
    }

    private static void assertRight(Form form, Size size) {
        Explorer.Report report = Explorer.explore(size.model(form, LogGuard.of(form)), STATES_MAX);
        assertThat(report.violation()).as("%s", report).isNull();
        // Guards against an exploration that ends immediately and proves nothing.
        assertThat(report.states()).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @MethodSource("guards")
    void withoutAnySingleGuardThereIsAViolation(Form form, LogGuard missing) throws IOException {
        Set<LogGuard> guards = EnumSet.copyOf(LogGuard.of(form));
        guards.remove(missing);
        Path traces = Files.createDirectories(Path.of("target", "counterexamples"));
        for (Size size : SMALL_FIRST) {
            Explorer.Report report;
            try {
                report = Explorer.explore(size.model(form, guards), STATES_SEARCHED_MAX);
            } catch (IllegalStateException notFoundThere) {
                continue;
            }
            if (report.violation() != null) {
                Files.writeString(
                        traces.resolve(form + "-log-without-" + missing + ".txt"),
                        report.toString());
                assertThat(report.trace()).isNotEmpty();
                return;
            }
        }
        throw new AssertionError("nothing goes wrong in form " + form + " without " + missing);
    }

    static Stream<Arguments> guards() {
        return Stream.of(Form.values())
                .flatMap(
                        form -> LogGuard.of(form).stream().map(guard -> Arguments.of(form, guard)));
    }
}
