package petrichor.testing.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.testing.simulation.Guard.Tier;

/**
 * Explores all states of the protocol: no violation with all guards, and at least one without any
 * single guard.
 */
final class ProtocolModelTest {
    private static final int STATES_MAX = 4_000_000;

    @ParameterizedTest
    @EnumSource(Tier.class)
    void withAllGuardsThereIsNoViolation(Tier tier) {
        Explorer.Report report = explore(tier, Guard.of(tier), 2, 3);
        assertThat(report.violation()).as("%s", report).isNull();
        // Guards against an exploration that ends immediately and proves nothing.
        assertThat(report.states()).isGreaterThan(5_000);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(Tier.class)
    void withAllGuardsMoreTransactionsHaveNoViolation(Tier tier) {
        Explorer.Report report = explore(tier, Guard.of(tier), 3, 2);
        assertThat(report.violation()).as("%s", report).isNull();
    }

    @ParameterizedTest
    @MethodSource("guards")
    void withoutAnySingleGuardThereIsAViolation(Tier tier, Guard missing) throws IOException {
        Set<Guard> guards = EnumSet.copyOf(Guard.of(tier));
        guards.remove(missing);
        Explorer.Report report = explore(tier, guards, 2, 3);
        // The counterexample shows the purpose of the guard.
        Path traces = Files.createDirectories(Path.of("target", "counterexamples"));
        Files.writeString(traces.resolve(tier + "-without-" + missing + ".txt"), report.toString());
        assertThat(report.violation()).as("tier %s without %s", tier, missing).isNotNull();
        assertThat(report.trace()).isNotEmpty();
    }

    @Test
    void anIncompleteExplorationFails() {
        assertThatThrownBy(
                        () ->
                                Explorer.explore(
                                        new ProtocolModel(Tier.A, Guard.of(Tier.A), 2, 2), 100))
                .isInstanceOf(IllegalStateException.class);
    }

    static Stream<Arguments> guards() {
        return Stream.of(Tier.values())
                .flatMap(tier -> Guard.of(tier).stream().map(guard -> Arguments.of(tier, guard)));
    }

    private static Explorer.Report explore(
            Tier tier, Set<Guard> guards, int transactions, int epochs) {
        return Explorer.explore(new ProtocolModel(tier, guards, transactions, epochs), STATES_MAX);
    }
}
