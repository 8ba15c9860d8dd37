package petrichor.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import petrichor.transactions.NotSequencedHere;

/**
 * Answers other servers that ask for versions of our databases. Each answer is worked out on a
 * virtual thread, since a database may have to be taken over first.
 */
final class VersionService implements Function<byte[], CompletableFuture<byte[]>> {
    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("share-version").start(task);

    private final Ownership ownership;
    private final ClusterDatabases databases;

    VersionService(Ownership ownership, ClusterDatabases databases) {
        this.ownership = ownership;
        this.databases = databases;
    }

    @Override
    public CompletableFuture<byte[]> apply(byte[] question) {
        return CompletableFuture.supplyAsync(
                () -> newest(VersionMessages.database(question)), VIRTUAL);
    }

    private byte[] newest(String database) {
        if (!ownership.claimed(database) && ownership.find(database, true) instanceof Owner.There) {
            throw new NotSequencedHere(database);
        }
        return VersionMessages.answer(databases.owned(database).share());
    }
}
