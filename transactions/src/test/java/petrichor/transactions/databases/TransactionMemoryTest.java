package petrichor.transactions.databases;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.log.RoutedStores;

/** Read sets, waiting commits and conflict windows of all databases share one budget. */
class TransactionMemoryTest {
    private final MemoryBudget process = MemoryBudget.of("process", 8 << 20);
    private final TransactionMemory memory = TransactionMemory.of(process);

    @Test
    void readSetsShareABoundAndReturnTheirMemory() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases =
                        new RowDatabases(
                                RoutedStores.of(store), TransactionLimits.DEFAULT, memory)) {
            RowDatabase database = databases.open("one");
            List<Transaction> open = new ArrayList<>();
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    Transaction transaction =
                                            database.begin(new TransactionOptions.Optimistic(null));
                                    open.add(transaction);
                                    read(transaction, 100);
                                }
                            })
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused ->
                                    assertThat(refused.code())
                                            .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                    .hasMessageContaining("server.memory-percent");
            assertThat(open).hasSizeGreaterThan(3);
            assertThat(memory.readSets().bytesUsed()).isPositive();
            open.forEach(Transaction::rollback);
            assertThat(memory.readSets().bytesUsed()).isZero();
            Transaction next = database.begin(new TransactionOptions.Optimistic(null));
            read(next, 100);
            next.rollback();
        }
        assertThat(process.bytesUsed()).isZero();
    }

    @Test
    void theWindowsOfManyDatabasesStayWithinTheirShare() {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases databases =
                        new RowDatabases(
                                RoutedStores.of(store), TransactionLimits.DEFAULT, memory)) {
            for (int i = 0; i < 10; i++) {
                RowDatabase database = databases.open("database" + i);
                for (int commit = 0; commit < 20; commit++) {
                    List<RowWrite> writes = new ArrayList<>();
                    for (int row = 0; row < 100; row++) {
                        writes.add(new RowWrite(key(commit * 1_000 + row), new byte[1], null));
                    }
                    Transaction transaction =
                            database.begin(new TransactionOptions.Optimistic(null));
                    transaction.commit(List.of(), writes).join();
                }
                assertThat(memory.caches().bytesUsed())
                        .isLessThanOrEqualTo(memory.caches().bytesMax());
            }
            assertThat(memory.caches().bytesUsed()).isPositive();
            assertThat(memory.queued().bytesUsed()).isZero();
        }
        assertThat(process.bytesUsed()).isZero();
    }

    private static void read(Transaction transaction, int rows) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            keys.add(key(i));
        }
        transaction.get(keys);
    }

    private static byte[] key(int number) {
        return ("x".repeat(2_000) + number).getBytes(UTF_8);
    }
}
