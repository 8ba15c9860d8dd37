package petrichor.movement.upstream;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.TransactionOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.client.DatabaseName;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.transactions.ChangeConsumer;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.ChangedCommit;
import petrichor.transactions.Changes;
import petrichor.transactions.Row;
import petrichor.transactions.RowChange;

/**
 * Sends the commits of this server to the upstream, whole and in order, as a consumer of the change
 * feed. Several commits are sent as one transaction. After a crash the last ones are sent again,
 * once they can no longer arrive late: each mutation writes a whole entity. Confined to the holder
 * of the lock of the move.
 */
final class ReverseStream {
    static final String CONSUMER = "upstream";

    private static final int COMMITS_MAX = 1_000;
    private static final long BYTES_MAX = 4 << 20;

    /** A transaction of Google's service may have had no more for a long time. */
    private static final int MUTATIONS_MAX = 500;

    private static final int RESERVED_MAX = 500;
    private static final Duration MOVED_EVERY = Duration.ofMinutes(10);

    private final LocalCopy local;
    private final UpstreamClient client;
    private final long callNanos;
    private long position = -1;
    private long movedNanos = System.nanoTime();
    private long sent;

    /** Until then, a commit without an answer may still be applied, also after later ones. */
    private long undecidedUntil;

    /**
     * @param callNanos a commit without an answer is not applied later than this
     */
    ReverseStream(LocalCopy local, UpstreamClient client, long callNanos) {
        this.local = local;
        this.client = client;
        this.callNanos = callNanos;
        // A former process may have sent something.
        this.undecidedUntil = System.nanoTime() + callNanos;
    }

    private ChangeFeed feed() {
        return local.database().rows().changes();
    }

    /** From the present position on, commits belong to the stream. */
    void begin() {
        ChangeFeed feed = feed();
        position = feed.moveConsumer(CONSUMER, feed.newest()).position();
        undecidedUntil = System.nanoTime();
    }

    /** The way back ends. */
    void end() {
        ChangeFeed feed = feed();
        if (feed.consumers().stream().anyMatch(one -> one.name().equals(CONSUMER))) {
            feed.deleteConsumer(CONSUMER);
        }
    }

    long sent() {
        return sent;
    }

    /** Version up to which commits were sent. */
    long position() {
        return position(feed());
    }

    /** Age of the oldest commit that was not sent, in microseconds; 0 if there is none. */
    long lagMicros() {
        ChangeFeed feed = feed();
        List<ChangedCommit> next = feed.after(position(feed), 1, 1).commits();
        return next.isEmpty()
                ? 0
                : Math.max(0, TimeSource.SYSTEM.epochMicros() - next.getFirst().version());
    }

    private long position(ChangeFeed feed) {
        if (position < 0) {
            position =
                    feed.consumers().stream()
                            .filter(one -> one.name().equals(CONSUMER))
                            .mapToLong(ChangeConsumer::position)
                            .findFirst()
                            .orElse(0);
        }
        return position;
    }

    /** Sends some commits; returns whether there may be more. */
    boolean step() {
        ChangeFeed feed = feed();
        long from = position(feed);
        Changes part = feed.after(from, COMMITS_MAX, BYTES_MAX);
        Map<Bytes, RowChange> entities = new LinkedHashMap<>();
        Set<Bytes> created = new HashSet<>();
        long to = from;
        boolean whole = true;
        for (ChangedCommit commit : part.commits()) {
            List<RowChange> changes =
                    commit.rows().stream().filter(row -> RowLayout.isEntity(row.key())).toList();
            if (!entities.isEmpty() && entities.size() + changes.size() > MUTATIONS_MAX) {
                whole = false;
                break;
            }
            for (RowChange change : changes) {
                Bytes row = Bytes.of(change.key());
                entities.put(row, change);
                if (change.before() == null) {
                    created.add(row);
                }
            }
            to = commit.version();
        }
        if (whole) {
            to = part.position();
        }
        if (!entities.isEmpty()) {
            requireDecided();
            reserve(created);
            send(List.copyOf(entities.values()));
        }
        // Storing a position is a commit, too, so those without entities are rarely stored.
        boolean due = System.nanoTime() - movedNanos > MOVED_EVERY.toNanos();
        if (to > from && (due || !entities.isEmpty())) {
            var _ = feed.moveConsumer(CONSUMER, to);
            movedNanos = System.nanoTime();
        }
        position = to;
        return to > from;
    }

    private void send(List<RowChange> changes) {
        DatabaseName name = local.name();
        CommitRequest.Builder commit =
                CommitRequest.newBuilder()
                        .setProjectId(name.project())
                        .setDatabaseId(name.database())
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setSingleUseTransaction(
                                TransactionOptions.newBuilder()
                                        .setReadWrite(
                                                TransactionOptions.ReadWrite.getDefaultInstance()));
        for (RowChange change : changes) {
            Row after = change.after();
            Mutation.Builder mutation = Mutation.newBuilder();
            if (after == null) {
                mutation.setDelete(key(change.key()));
            } else {
                mutation.setUpsert(EntityRow.entity(after.value()));
            }
            commit.addMutations(mutation);
        }
        long decided = undecidedUntil;
        undecidedUntil = System.nanoTime() + callNanos;
        try {
            var _ = client.commit(name, commit.build());
            undecidedUntil = decided;
        } catch (PetrichorException failed) {
            undecidedUntil = RoutedCalls.isAnswer(failed) ? decided : System.nanoTime() + callNanos;
            throw failed;
        }
        sent += changes.size();
    }

    /**
     * UNAVAILABLE while a commit without an answer may still be applied: it must not overwrite what
     * is sent after it.
     */
    private void requireDecided() {
        long left = undecidedUntil - System.nanoTime();
        if (left > 0) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "A commit that was sent to the upstream has no answer and may still be applied;"
                            + " the next one is sent in {seconds} s.",
                    "seconds",
                    TimeUnit.NANOSECONDS.toSeconds(left) + 1);
        }
    }

    /** The upstream must not allocate these ids again, should it lead again. */
    private void reserve(Set<Bytes> rows) {
        List<Key> keys =
                rows.stream()
                        .map(row -> key(row.array()))
                        .filter(key -> key.getPath(key.getPathCount() - 1).hasId())
                        .toList();
        DatabaseName name = local.name();
        for (int from = 0; from < keys.size(); from += RESERVED_MAX) {
            client.reserveIds(
                    name,
                    ReserveIdsRequest.newBuilder()
                            .setProjectId(name.project())
                            .setDatabaseId(name.database())
                            .addAllKeys(
                                    keys.subList(from, Math.min(keys.size(), from + RESERVED_MAX)))
                            .build());
        }
    }

    private Key key(byte[] row) {
        return RowLayout.entityKey(local.name().project(), local.name().database(), row);
    }
}
