package petrichor.transactions.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.bytes;

import org.junit.jupiter.api.Test;
import petrichor.transactions.locks.LockTable.Lock;
import petrichor.transactions.locks.LockTable.Owner;

/** Locks that are never taken away, and the cycles that they can close. */
class ExplicitLocksTest {
    private final LockTable table = new LockTable();
    private final Owner older = new Owner(1);
    private final Owner younger = new Owner(2);
    private final Owner third = new Owner(3);

    private boolean lock(Owner owner, String key) {
        Lock wanted = LockTable.exclusive(owner, bytes(key));
        if (table.grant(wanted, 0)) {
            table.keep(owner);
            return true;
        }
        table.await(wanted);
        return false;
    }

    private boolean closesCycle(Owner owner, String key) {
        return table.closesCycle(LockTable.exclusive(owner, bytes(key)), 0);
    }

    @Test
    void anOlderOwnerDoesNotTakeThem() {
        assertThat(lock(younger, "a")).isTrue();
        assertThat(lock(older, "a")).isFalse();
        assertThat(younger.lost()).isFalse();
    }

    @Test
    void aCycleIsFound() {
        lock(older, "a");
        lock(younger, "b");
        lock(third, "c");
        assertThat(lock(older, "b")).isFalse();
        assertThat(closesCycle(third, "b")).isFalse();
        assertThat(closesCycle(younger, "a")).isTrue();
        assertThat(lock(younger, "c")).isFalse();
        assertThat(closesCycle(third, "a")).isTrue();
    }

    @Test
    void anUpgradeOfTwoSharedLocksIsACycle() {
        for (Owner owner : new Owner[] {older, younger}) {
            assertThat(table.grant(LockTable.shared(owner, bytes("a")), 0)).isTrue();
            table.keep(owner);
        }
        assertThat(lock(older, "a")).isFalse();
        assertThat(closesCycle(younger, "a")).isTrue();
    }

    @Test
    void withoutExplicitLocksThereIsNoCycle() {
        assertThat(table.grant(LockTable.exclusive(older, bytes("a")), 0)).isTrue();
        assertThat(closesCycle(younger, "a")).isFalse();
        lock(younger, "b");
        table.release(younger);
        assertThat(closesCycle(younger, "a")).isFalse();
    }
}
