package petrichor.tuples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Branch;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.scheduling.SystemScheduler;

class TupleStoresTest {
    /** Databases of which one is dropped right after their names were read. */
    private record Dropped(Databases below, String name) implements Databases {
        @Override
        public List<String> names() {
            List<String> names = below.names();
            below.drop(name);
            return names;
        }

        @Override
        public Database open(String database) {
            return below.open(database);
        }

        @Override
        public @Nullable Database openExisting(String database) {
            return below.openExisting(database);
        }

        @Override
        public void drop(String database) {
            below.drop(database);
        }

        @Override
        public Branch branch(String database, String parent, OptionalLong at) {
            return below.branch(database, parent, at);
        }

        @Override
        public List<Branch> branches() {
            return below.branches();
        }

        @Override
        public void close() {
            below.close();
        }
    }

    @Test
    void aDroppedDatabaseIsForgottenAndNotCreatedAgain() {
        try (MemoryStore memory = MemoryStore.open();
                SystemScheduler scheduler = new SystemScheduler();
                RowDatabases databases = new RowDatabases(memory)) {
            Databases changing = new Dropped(databases, "p");
            try (TupleStores stores =
                    new TupleStores(() -> changing, _ -> false, scheduler, new Random(1))) {
                TupleStore store = stores.open("p");
                var _ = store.create("c", new TuplePlacement.Ordered(), true);
                var _ = store.get("c", List.of("k"), 0);
                assertThat(stores.sampledBytes()).isPositive();
                stores.look();
                assertThat(databases.names()).isEmpty();
                stores.look();
                assertThat(stores.sampledBytes()).isZero();
                store.forgetSamples();
                assertThat(stores.sampledBytes()).isZero();
            }
        }
    }
}
