package petrichor.cloud.leasing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.cloud.Money;
import petrichor.cloud.Purchase;

final class LeaseJournalTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir Path folder = Path.of("");

    private static LeaseLine line(String token, LeaseState state, Instant at) {
        return new LeaseLine(
                at,
                token,
                "m1.small",
                Purchase.SPOT,
                Optional.of(Money.parse("0.05")),
                state,
                Optional.of("i-1"),
                Optional.of(NOW),
                Optional.of(new StageId("job", 3)),
                Optional.of("map"),
                "because\tof a\nreason");
    }

    private static LeaseLine asRead(LeaseLine line) {
        return LeaseLine.parse(line.text()).orElseThrow();
    }

    @Test
    void addedEntriesAreReadAfterReopening() {
        LeaseLine one = line("token-1", LeaseState.REQUESTED, NOW);
        LeaseLine two = line("token-2", LeaseState.USED, NOW);
        try (LeaseJournal journal = LeaseJournal.open(folder, NOW)) {
            journal.add(one);
            journal.add(two);
        }
        try (LeaseJournal journal = LeaseJournal.open(folder, NOW)) {
            assertThat(journal.lines()).containsExactly(asRead(one), asRead(two));
            assertThat(journal.lines().getFirst().reason()).isEqualTo("because of a reason");
        }
    }

    @Test
    void statesAreRecordedUnderTheNamesOfEarlierVersions() {
        for (LeaseState state : LeaseState.values()) {
            assertThat(asRead(line("token-1", state, NOW)).state()).isEqualTo(state);
        }
        assertThat(line("token-1", LeaseState.REQUESTED, NOW).text()).contains("\tASKED\t");
        assertThat(line("token-1", LeaseState.UNCONFIRMED, NOW).text()).contains("\tDOUBTED\t");
    }

    @Test
    void aLineThatWasCutOffAtAnyByteIsLeftOutAndTheNextOneIsWhole() throws IOException {
        LeaseLine one = line("token-1", LeaseState.REQUESTED, NOW);
        LeaseLine cut = line("token-2", LeaseState.USED, NOW);
        LeaseLine next = line("token-3", LeaseState.USED, NOW);
        try (LeaseJournal journal = LeaseJournal.open(folder, NOW)) {
            journal.add(one);
            journal.add(cut);
        }
        byte[] whole = Files.readAllBytes(folder.resolve("leases"));
        int begin = (one.text() + "\n").length();
        for (int length = begin; length < whole.length - 1; length++) {
            Files.write(folder.resolve("leases"), Arrays.copyOf(whole, length));
            try (LeaseJournal journal = LeaseJournal.open(folder, NOW)) {
                journal.add(next);
            }
            try (LeaseJournal journal = LeaseJournal.open(folder, NOW)) {
                assertThat(journal.lines())
                        .as("cut after " + length + " bytes")
                        .containsExactly(asRead(one), asRead(next));
            }
        }
    }

    @Test
    void leasesThatEndedLongAgoAreForgottenAndNoOthers() {
        List<LeaseLine> lines =
                List.of(
                        line("gone", LeaseState.USED, NOW),
                        line("there", LeaseState.USED, NOW),
                        line("gone", LeaseState.ENDED, NOW));
        try (LeaseJournal journal = LeaseJournal.open(folder, NOW)) {
            lines.forEach(journal::add);
        }
        Instant later = NOW.plus(LeaseJournal.HISTORY).plus(Duration.ofSeconds(1));
        try (LeaseJournal journal = LeaseJournal.open(folder, later)) {
            assertThat(journal.lines()).extracting(LeaseLine::token).containsExactly("there");
        }
    }

    @Test
    void twoProcessesDoNotLeaseForTheSameOwner() {
        try (LeaseJournal _ = LeaseJournal.open(folder, NOW)) {
            assertThatThrownBy(() -> LeaseJournal.open(folder, NOW))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("another process");
        }
    }
}
