package petrichor.coordination.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.coordination.Ledger;
import petrichor.coordination.Ledger.Change;
import petrichor.coordination.Ledger.Place;

/** Conformance of a {@link Ledger}. */
public interface LedgerConformance {
    LedgerUnderTest ledger() throws Exception;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Place value(String name) {
        return new Place("values", name);
    }

    @Test
    default void entriesAreReadByOthers() throws Exception {
        try (LedgerUnderTest under = ledger();
                Ledger one = under.connect();
                Ledger other = under.connect()) {
            assertThat(one.read(value("a"))).isEmpty();
            assertThat(one.change(List.of(new Change.Create(value("a"), bytes("1"))))).isTrue();
            assertThat(one.read(value("a")).orElseThrow().version()).isZero();
            Wait.until(
                    "the other connection sees it",
                    Conditions.SHORT,
                    () -> other.read(value("a")).isPresent());
            assertThat(other.read(value("a")).orElseThrow().value()).isEqualTo(bytes("1"));
            assertThat(one.change(List.of(new Change.Create(value("a"), bytes("2"))))).isFalse();
        }
    }

    @Test
    default void aChangeThatExpectsAnotherVersionIsRefused() throws Exception {
        try (LedgerUnderTest under = ledger();
                Ledger ledger = under.connect()) {
            ledger.change(List.of(new Change.Create(value("a"), bytes("1"))));
            assertThat(ledger.change(List.of(new Change.Replace(value("a"), bytes("2"), 0))))
                    .isTrue();
            assertThat(ledger.change(List.of(new Change.Replace(value("a"), bytes("3"), 0))))
                    .isFalse();
            assertThat(ledger.change(List.of(new Change.Delete(value("a"), 0)))).isFalse();
            assertThat(
                            ledger.change(
                                    List.of(
                                            new Change.Replace(
                                                    value("a"), bytes("4"), Ledger.ANY_VERSION))))
                    .isTrue();
            assertThat(ledger.read(value("a")).orElseThrow().value()).isEqualTo(bytes("4"));
            assertThat(ledger.change(List.of(new Change.Replace(value("b"), bytes("1"), 0))))
                    .as("missing entries")
                    .isFalse();
        }
    }

    @Test
    default void severalChangesAreAtomic() throws Exception {
        try (LedgerUnderTest under = ledger();
                Ledger ledger = under.connect()) {
            ledger.change(List.of(new Change.Create(value("a"), bytes("1"))));
            assertThat(
                            ledger.change(
                                    List.of(
                                            new Change.Delete(value("a"), 0),
                                            new Change.Create(value("b"), bytes("1")),
                                            new Change.Expect(value("missing")))))
                    .isFalse();
            assertThat(ledger.list("values")).containsExactly("a");
            assertThat(
                            ledger.change(
                                    List.of(
                                            new Change.Expect(value("a")),
                                            new Change.Delete(value("a"), 0),
                                            new Change.Create(value("b"), bytes("1")))))
                    .isTrue();
            assertThat(ledger.list("values")).containsExactly("b");
        }
    }

    @Test
    default void stampsGrowEvenWhenAnEntryIsRecreated() throws Exception {
        try (LedgerUnderTest under = ledger();
                Ledger ledger = under.connect()) {
            ledger.change(List.of(new Change.Create(value("a"), bytes("1"))));
            long first = ledger.read(value("a")).orElseThrow().stamp();
            ledger.change(List.of(new Change.Replace(value("a"), bytes("2"), 0)));
            long second = ledger.read(value("a")).orElseThrow().stamp();
            ledger.change(List.of(new Change.Delete(value("a"), 1)));
            ledger.change(List.of(new Change.Create(value("a"), bytes("3"))));
            long third = ledger.read(value("a")).orElseThrow().stamp();
            assertThat(List.of(first, second, third)).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    default void anyTextIsAName() throws Exception {
        List<String> names =
                List.of(
                        ".",
                        "..",
                        "a/b",
                        "project/database",
                        "100%",
                        "ä \u0001 +",
                        "x".repeat(500));
        try (LedgerUnderTest under = ledger();
                Ledger ledger = under.connect()) {
            for (String name : names) {
                assertThat(ledger.change(List.of(new Change.Create(value(name), bytes(name)))))
                        .isTrue();
                assertThat(ledger.read(value(name)).orElseThrow().value()).isEqualTo(bytes(name));
            }
            assertThat(ledger.list("values")).containsExactlyInAnyOrderElementsOf(names);
        }
    }

    @Test
    default void anUnusedFolderIsEmpty() throws Exception {
        try (LedgerUnderTest under = ledger();
                Ledger ledger = under.connect()) {
            assertThat(ledger.list("nothing")).isEmpty();
            assertThat(ledger.problem()).isEmpty();
        }
    }
}
