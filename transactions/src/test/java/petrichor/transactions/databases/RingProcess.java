package petrichor.transactions.databases;

import java.util.SplittableRandom;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.log.RoutedStores;

/** A process over the stores of a ring, whose background tasks run on request. */
final class RingProcess implements AutoCloseable {
    final HeldScheduler background;
    final RowDatabases databases;

    RingProcess(RingStores stores, TestTime time) {
        background = new HeldScheduler(time);
        databases =
                new RowDatabases(
                        RoutedStores.of(stores.home()),
                        stores.others(),
                        TransactionLimits.DEFAULT,
                        TransactionMemory.unlimited(),
                        new RowDatabases.Surroundings(
                                time,
                                new SplittableRandom(System.identityHashCode(this)),
                                background));
    }

    RowDatabase database() {
        return databases.open("test");
    }

    @Override
    public void close() {
        databases.close();
    }
}
