package petrichor.transactions.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.range;

import org.junit.jupiter.api.Test;
import petrichor.transactions.locks.LockTable.Lock;
import petrichor.transactions.locks.LockTable.Owner;

/** Which owners proceed and which wait, without threads. */
class LockTableTest {
    private static final byte[] KEY = bytes("a");

    private final LockTable table = new LockTable();
    private final Owner eldest = new Owner(1);
    private final Owner middle = new Owner(2);
    private final Owner youngest = new Owner(3);

    @Test
    void theOlderTakesLocksAndTheYoungerWaits() {
        assertThat(table.grant(LockTable.exclusive(middle, KEY), 0)).isTrue();
        assertThat(table.grant(LockTable.exclusive(youngest, KEY), 0)).isFalse();
        assertThat(middle.lost()).isFalse();
        assertThat(table.grant(LockTable.exclusive(eldest, KEY), 0)).isTrue();
        assertThat(middle.lost()).isTrue();
        assertThat(middle.holdsNothing()).isTrue();
    }

    @Test
    void aCommittingOwnerLosesNoLock() {
        assertThat(table.grant(LockTable.exclusive(middle, KEY), 0)).isTrue();
        table.pin(middle);
        assertThat(table.grant(LockTable.exclusive(eldest, KEY), 0)).isFalse();
    }

    @Test
    void aYoungerOwnerDoesNotOvertakeAnOlderWaiter() {
        assertThat(table.grant(LockTable.shared(eldest, KEY), 0)).isTrue();
        Lock write = LockTable.exclusive(middle, KEY);
        assertThat(table.grant(write, 0)).isFalse();
        table.await(write);
        Lock read = LockTable.shared(youngest, KEY);
        assertThat(table.grant(read, 0)).as("readers would starve the writer").isFalse();
        table.await(read);
        table.release(eldest);
        assertThat(table.serve(0)).containsExactly(write);
        table.release(middle);
        assertThat(table.serve(0)).containsExactly(read);
    }

    @Test
    void lentLocksExpire() {
        assertThat(table.grant(LockTable.exclusive(eldest, KEY), 0)).isTrue();
        table.limit(eldest, 100);
        assertThat(table.grant(LockTable.exclusive(middle, KEY), 99)).isFalse();
        assertThat(table.grant(LockTable.exclusive(middle, KEY), 100)).isTrue();
    }

    @Test
    void aRangeExcludesWritersButNotReaders() {
        assertThat(table.grant(LockTable.shared(eldest, range("a", "c")), 0)).isTrue();
        assertThat(table.grant(LockTable.shared(middle, KEY), 0)).isTrue();
        assertThat(table.grant(LockTable.exclusive(middle, bytes("b")), 0)).isFalse();
        assertThat(table.grant(LockTable.exclusive(middle, bytes("c")), 0)).isTrue();
        table.release(eldest);
        table.release(middle);
        assertThat(table.isEmpty()).isTrue();
    }

    @Test
    void aWriterIsASignOfContentionButAPrecautionaryLockIsNot() {
        assertThat(table.grant(LockTable.precautionary(eldest, KEY), 0)).isTrue();
        assertThat(table.contended(middle, KEY)).isFalse();
        assertThat(table.grant(LockTable.exclusive(middle, KEY), 0)).isFalse();
        table.await(LockTable.exclusive(middle, KEY));
        assertThat(table.contended(youngest, KEY)).isTrue();
        assertThat(table.contended(middle, KEY)).as("by itself").isFalse();
        assertThat(table.contended(youngest, bytes("b"))).isFalse();
        table.release(eldest);
        assertThat(table.serve(0)).hasSize(1);
        assertThat(table.contended(youngest, KEY)).isTrue();
        table.release(middle);
        assertThat(table.contended(youngest, KEY)).isFalse();
    }
}
