package petrichor.jobs.entities;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.Key;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.client.DatastoreClient;

/**
 * Ids reserved on the server, allocated in blocks. Connects on first use. Because they are known
 * before entities are written, writing them again is idempotent. Belongs to one thread.
 */
final class NewIds implements LongSupplier, AutoCloseable {
    private static final int BLOCK = 500;

    private final EntityDatabase database;
    private final Key incomplete;
    private final Queue<Long> left = new ArrayDeque<>();
    private @Nullable DatastoreClient client;

    NewIds(EntityDatabase database, String kind) {
        this.database = database;
        this.incomplete =
                Key.newBuilder()
                        .setPartitionId(database.partition())
                        .addPath(Key.PathElement.newBuilder().setKind(kind))
                        .build();
    }

    @Override
    public long getAsLong() {
        var id = left.poll();
        return id != null ? id : firstOfNextBlock();
    }

    private long firstOfNextBlock() {
        if (client == null) {
            client = database.connect();
        }
        var request =
                AllocateIdsRequest.newBuilder()
                        .setProjectId(database.project())
                        .setDatabaseId(database.database());
        for (int i = 0; i < BLOCK; i++) {
            request.addKeys(incomplete);
        }
        for (var key : client.allocateIds(request.build()).getKeysList()) {
            left.add(key.getPath(0).getId());
        }
        return left.remove();
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
    }
}
