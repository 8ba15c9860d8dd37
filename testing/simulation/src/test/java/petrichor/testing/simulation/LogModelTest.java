package petrichor.testing.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** All states of a log with its note and its removal: none is wrong, one is without any guard. */
final class LogModelTest {
    private static final int STATES_MAX = 4_000_000;

    /** Of a walk that looks for something wrong; what it has not found by then, another may. */
    private static final int STATES_SEARCHED_MAX = 150_000;

    private static final Set<LogGuard> ALL = EnumSet.allOf(LogGuard.class);

    /**
     * How much happens.
     *
     * @param transactions each tried once
     * @param processes each elected once
     * @param takenBack how often one of them takes the log back
     */
    private record Size(int transactions, int processes, int takenBack) {
        LogModel model(Set<LogGuard> guards) {
            return new LogModel(guards, transactions, processes, takenBack);
        }
    }

    private static final List<Size> SMALL_FIRST =
            List.of(
                    new Size(1, 2, 0),
                    new Size(1, 2, 1),
                    new Size(2, 2, 0),
                    new Size(1, 3, 0),
                    new Size(2, 2, 1));

    @ParameterizedTest
    @CsvSource({"1, 3, 0", "1, 2, 1", "2, 2, 0"})
    void withAllGuardsNothingGoesWrong(int transactions, int processes, int takenBack) {
        assertRight(new Size(transactions, processes, takenBack));
    }

    @Tag("slow")
    @ParameterizedTest
    @CsvSource({"2, 2, 1", "2, 3, 0"})
    void norWhenMoreHappens(int transactions, int processes, int takenBack) {
        assertRight(new Size(transactions, processes, takenBack));
    }

    private static void assertRight(Size size) {
        Explorer.Report report = Explorer.explore(size.model(ALL), STATES_MAX);
        assertThat(report.violation()).as("%s", report).isNull();
        // A walk that stops at the door proves nothing either.
        assertThat(report.states()).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @EnumSource(LogGuard.class)
    void withoutAnyOfThemSomethingDoes(LogGuard missing) throws IOException {
        Set<LogGuard> guards = EnumSet.complementOf(EnumSet.of(missing));
        Path traces = Files.createDirectories(Path.of("target", "counterexamples"));
        for (Size size : SMALL_FIRST) {
            Explorer.Report report;
            try {
                report = Explorer.explore(size.model(guards), STATES_SEARCHED_MAX);
            } catch (IllegalStateException notFoundThere) {
                continue;
            }
            if (report.violation() != null) {
                Files.writeString(
                        traces.resolve("log-without-" + missing + ".txt"), report.toString());
                assertThat(report.trace()).isNotEmpty();
                return;
            }
        }
        throw new AssertionError("nothing goes wrong without " + missing);
    }
}
