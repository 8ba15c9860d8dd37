package petrichor.services.users;

import java.security.SecureRandom;
import java.time.Duration;
import petrichor.base.TimeSource;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Accounts and sessions over a store, with a clock that tests move. */
final class Users implements AutoCloseable {
    static final String EMAIL = "ann@example.com";
    static final String PASSWORD = "correct horse";

    final Clock clock = new Clock();
    final Accounts accounts;
    final Sessions sessions;
    private final KeyValueStore store;
    final RowDatabases databases;

    Users() {
        this(MemoryStore.open());
    }

    Users(KeyValueStore store) {
        this.store = store;
        this.databases = new RowDatabases(store);
        this.accounts = new Accounts(() -> databases.open(Accounts.DATABASE), new SecureRandom());
        this.sessions = new Sessions(accounts, Duration.ofDays(1), clock);
    }

    @Override
    public void close() {
        databases.close();
        store.close();
    }

    /** Both clocks move together. */
    static final class Clock implements TimeSource {
        private long nanos = 1_800_000_000_000_000_000L;

        void advance(Duration by) {
            nanos += by.toNanos();
        }

        @Override
        public long epochMicros() {
            return nanos / 1000;
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }
    }
}
