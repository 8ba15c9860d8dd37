package petrichor.testing.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.testing.simulation.Anomaly.Kind;
import petrichor.testing.simulation.Attempt.Append;
import petrichor.testing.simulation.Attempt.Operation;
import petrichor.testing.simulation.Attempt.Outcome;
import petrichor.testing.simulation.Attempt.Read;
import petrichor.testing.simulation.Attempt.Scan;

/**
 * Tests that every kind of anomaly is detected under its own name, and that serial histories pass.
 */
final class HistoryCheckerTest {
    private int ids;

    @Test
    void serialHistoriesAreAccepted() {
        Seeds.first(300)
                .forEach(
                        seed ->
                                assertThat(HistoryChecker.check(SerialHistory.of(seed, 120)))
                                        .as("-Dseed=%d", seed)
                                        .isEmpty());
    }

    @Test
    void anElementMissingFromOneReadOfASerialHistoryIsAlwaysFound() {
        Seeds.first(300)
                .forEach(
                        seed ->
                                assertThat(HistoryChecker.check(withOneStaleRead(seed)))
                                        .as("-Dseed=%d", seed)
                                        .isNotEmpty());
    }

    @Test
    void anEmptyHistoryIsAccepted() {
        assertThat(HistoryChecker.check(List.of())).isEmpty();
    }

    @Test
    void overlappingTransactionsMayBeOrderedAgainstTheirEnds() {
        assertThat(
                        kinds(
                                during(0, 10, append("x", 1)),
                                during(1, 2, read("x")),
                                during(3, 12, read("x", 1))))
                .isEmpty();
    }

    @Test
    void anUnknownOutcomeCountsAsCommittedOnceItWasSeen() {
        Attempt unknown = with(Outcome.UNKNOWN, 0, 1, append("x", 1), append("y", 2));
        assertThat(kinds(unknown, during(5, 6, read("x")), during(7, 8, read("y")))).isEmpty();
        // It may take effect long after its client gave up, but only as a whole.
        assertThat(kinds(unknown, during(5, 6, read("x")), during(7, 8, read("y", 2)))).isEmpty();
        assertThat(kinds(unknown, during(5, 6, read("y", 2), read("x")))).isNotEmpty();
    }

    @Test
    void aReadOfAnUnwrittenValueIsAGarbageRead() {
        assertThat(kinds(during(0, 1, read("x", 7)))).containsExactly(Kind.GARBAGE_READ);
        assertThat(kinds(during(0, 1, append("y", 7)), during(2, 3, read("x", 7))))
                .containsExactly(Kind.GARBAGE_READ);
    }

    @Test
    void anElementInAListTwiceIsADuplicate() {
        assertThat(kinds(during(0, 1, append("x", 1)), during(2, 3, read("x", 1, 1))))
                .contains(Kind.DUPLICATE);
    }

    @Test
    void readsThatDoNotContinueEachOtherAreIncompatible() {
        assertThat(
                        kinds(
                                during(0, 9, append("x", 1)),
                                during(0, 9, append("x", 2)),
                                during(0, 9, read("x", 1, 2)),
                                during(0, 9, read("x", 2))))
                .containsExactly(Kind.INCOMPATIBLE_ORDER);
    }

    @Test
    void aTransactionThatSeesTwoStatesIsInternallyInconsistent() {
        assertThat(kinds(during(0, 5, append("x", 1)), during(0, 5, read("x"), read("x", 1))))
                .containsExactly(Kind.INTERNAL);
        assertThat(kinds(during(0, 5, append("x", 1), read("x", 1))))
                .containsExactly(Kind.INTERNAL);
    }

    @Test
    void aReadOfAnAbortedAppendIsG1a() {
        assertThat(kinds(with(Outcome.ABORTED, 0, 1, append("x", 1)), during(2, 3, read("x", 1))))
                .containsExactly(Kind.G1A);
    }

    @Test
    void aReadOfHalfATransactionsAppendsIsG1b() {
        assertThat(
                        kinds(
                                during(0, 9, append("x", 1), append("x", 2)),
                                during(0, 9, read("x", 1)),
                                during(20, 21, read("x", 1, 2))))
                .containsExactly(Kind.G1B);
    }

    @Test
    void twoUpdatesOfTheSameStateAreALostUpdate() {
        assertThat(
                        kinds(
                                during(0, 9, read("x"), append("x", 1)),
                                during(0, 9, read("x"), append("x", 2)),
                                during(20, 21, read("x", 2))))
                .contains(Kind.LOST_UPDATE);
    }

    @Test
    void anAcknowledgedAppendThatLaterReadsMissIsLost() {
        assertThat(kinds(during(0, 1, append("x", 1)), during(2, 3, read("x"))))
                .containsExactly(Kind.LOST_APPEND);
    }

    @Test
    void twoThatOverwriteEachOtherAreG0() {
        assertThat(
                        kinds(
                                during(0, 9, append("x", 1), append("y", 2)),
                                during(0, 9, append("x", 3), append("y", 4)),
                                during(20, 21, read("x", 1, 3)),
                                during(20, 21, read("y", 4, 2))))
                .containsExactly(Kind.G0);
    }

    @Test
    void twoThatReadEachOthersAppendsAreG1c() {
        assertThat(
                        kinds(
                                during(0, 9, append("x", 1), read("y", 2)),
                                during(0, 9, append("y", 2), read("x", 1))))
                .containsExactly(Kind.G1C);
    }

    @Test
    void aReaderThatSeesHalfACommitIsGSingle() {
        assertThat(
                        kinds(
                                during(0, 9, append("x", 1), append("y", 2)),
                                during(0, 9, read("x", 1), read("y")),
                                during(20, 21, read("y", 2))))
                .containsExactly(Kind.G_SINGLE);
    }

    @Test
    void writeSkewIsG2OfItems() {
        assertThat(
                        kinds(
                                during(0, 9, read("x"), append("y", 1)),
                                during(0, 9, read("y"), append("x", 2)),
                                during(20, 21, read("x", 2), read("y", 1))))
                .containsExactly(Kind.G2_ITEM);
    }

    @Test
    void insertsIntoEachOthersScannedRangeAreG2() {
        assertThat(
                        kinds(
                                during(0, 9, scan("a", "m"), append("n1", 1)),
                                during(0, 9, scan("n", "z"), append("b1", 2)),
                                during(20, 21, read("n1", 1), read("b1", 2))))
                .containsExactly(Kind.G2);
    }

    @Test
    void aReadThatLacksWhatWasCommittedBeforeItBeganIsNotStrict() {
        assertThat(
                        kinds(
                                during(0, 1, append("x", 1)),
                                during(2, 3, read("x")),
                                during(4, 5, read("x", 1))))
                .containsExactly(Kind.REAL_TIME);
    }

    @Test
    void twoStaleSnapshotsInTheWrongOrderAreNotStrict() {
        assertThat(
                        kinds(
                                during(0, 99, append("x", 1)),
                                during(10, 11, read("x", 1)),
                                during(12, 13, scan("w", "z"))))
                .containsExactly(Kind.REAL_TIME);
    }

    @Test
    void aFindingNamesTheCircle() {
        List<Anomaly> found =
                HistoryChecker.check(
                        List.of(
                                during(0, 1, append("x", 1)),
                                during(2, 3, read("x")),
                                during(4, 5, read("x", 1))));
        assertThat(found.getFirst().text())
                .contains("attempt 1 -READ_WRITE-> attempt 0")
                .contains("-REAL_TIME-> attempt 1");
    }

    @Test
    void anElementAppendedTwiceIsTheTestsOwnMistake() {
        assertThatThrownBy(() -> kinds(during(0, 1, append("x", 1), append("x", 1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unique");
    }

    /**
     * A serial history in which one read misses an element that had been acknowledged before it.
     */
    private List<Attempt> withOneStaleRead(long seed) {
        List<Attempt> history = new ArrayList<>(SerialHistory.of(seed, 120));
        Attempt last =
                history.stream().max(Comparator.comparingLong(Attempt::invoked)).orElseThrow();
        SortedMap<String, List<Long>> lists =
                new TreeMap<>(((Scan) last.operations().getFirst()).lists());
        List<String> keys = List.copyOf(lists.keySet());
        String key = keys.get(new Random(seed).nextInt(keys.size()));
        List<Long> whole = lists.getOrDefault(key, List.of());
        lists.put(key, whole.subList(0, whole.size() - 1));
        history.remove(last);
        history.add(last);
        history.add(during(last.completed() + 1, last.completed() + 2, new Scan("a", "z", lists)));
        return history;
    }

    private List<Kind> kinds(Attempt... history) {
        return HistoryChecker.check(Arrays.asList(history)).stream()
                .map(Anomaly::kind)
                .distinct()
                .toList();
    }

    private Attempt during(long invoked, long completed, Operation... operations) {
        return with(Outcome.COMMITTED, invoked, completed, operations);
    }

    private Attempt with(Outcome outcome, long invoked, long completed, Operation... operations) {
        return new Attempt(ids++, invoked, completed, outcome, List.of(operations));
    }

    private static Append append(String key, long element) {
        return new Append(key, element);
    }

    private static Read read(String key, long... elements) {
        return new Read(key, Arrays.stream(elements).boxed().toList());
    }

    /** A scan without results. */
    private static Scan scan(String from, String to) {
        return new Scan(from, to, new TreeMap<>());
    }
}
