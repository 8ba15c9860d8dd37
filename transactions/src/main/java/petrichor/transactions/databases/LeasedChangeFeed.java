package petrichor.transactions.databases;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import petrichor.transactions.ChangeConsumer;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.Changes;

/**
 * The feed of a database that another process can take over: checks the lease around each call.
 * Thread-safe.
 */
public final class LeasedChangeFeed implements ChangeFeed {
    /** Runs calls while this process owns the database. */
    public interface Guard {
        /**
         * Reads first and checks the lease afterwards: at the time of the check, no other process
         * had removed or replaced anything that was read.
         */
        <T> T read(Supplier<T> work);

        /** Checks the lease first, to save clients time: the fence of the store stops writes. */
        <T> T write(Supplier<T> work);
    }

    private final ChangeFeed feed;
    private final Guard guard;

    public LeasedChangeFeed(ChangeFeed feed, Guard guard) {
        this.feed = feed;
        this.guard = guard;
    }

    @Override
    public Changes after(long position, int commitsMax, long bytesMax) {
        return guard.read(() -> feed.after(position, commitsMax, bytesMax));
    }

    @Override
    public long oldest() {
        return guard.read(feed::oldest);
    }

    @Override
    public long newest() {
        return guard.read(feed::newest);
    }

    @Override
    public CompletableFuture<Void> beyond(long position) {
        return guard.read(() -> feed.beyond(position));
    }

    @Override
    public List<ChangeConsumer> consumers() {
        return guard.read(feed::consumers);
    }

    @Override
    public ChangeConsumer moveConsumer(String name, long position) {
        return guard.write(() -> feed.moveConsumer(name, position));
    }

    @Override
    public void deleteConsumer(String name) {
        guard.<Boolean>write(
                () -> {
                    feed.deleteConsumer(name);
                    return true;
                });
    }
}
