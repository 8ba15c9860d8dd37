package petrichor.movement;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.TransactionOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.client.EntityTarget;
import petrichor.movement.EntitySource.Bad;
import petrichor.movement.EntitySource.Good;
import petrichor.movement.EntitySource.Place;

/**
 * Imports the entities of a source into a database by upserts, with several transactions in flight.
 * Imports are idempotent. Numeric ids in the source are reserved, so that the server never
 * allocates them. If a key occurs twice, the later record wins.
 *
 * <p>No record is skipped silently: an invalid record, or a commit that fails permanently, ends the
 * import after everything before it was written. The outcome names the record up to which
 * everything is stored, and {@code from} resumes there. With {@link Options#skipBad} invalid
 * records are passed to a callback, and the import continues. Confined to one thread.
 */
public final class EntityImport {
    private static final int BATCH_ENTITIES_MAX = 500;
    private static final int BATCH_BYTES_MAX = 4 << 20;
    private static final int BATCHES_IN_FLIGHT_MAX = 8;
    private static final int ATTEMPTS_MAX = 6;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

    /**
     * Options of an import. {@code from}: number of the first record to write; {@code namespace}:
     * replaces the original namespaces; {@code skipBad}: receives invalid records, which then do
     * not end the import; {@code dryRun}: reads and checks without writing.
     */
    public record Options(
            DatabaseName target,
            @Nullable String namespace,
            long from,
            @Nullable Consumer<Bad> skipBad,
            boolean dryRun) {
        public Options {
            if (from < 1) {
                throw PetrichorException.invalid(
                        "records are counted from 1, not {from}", "from", from);
            }
        }
    }

    /** Outcome of an import. */
    public sealed interface Outcome permits Done, Stopped {
        /**
         * Number of entities written, or, in a dry run, of entities that would have been written.
         */
        long entities();
    }

    /** The source was read to its end; {@code bad} is the number of invalid records. */
    public record Done(long entities, long bad) implements Outcome {}

    /**
     * The import stopped early because of the record at {@code place}. Everything before {@code
     * resumeFrom} is stored; later records may be partly stored.
     */
    public record Stopped(
            long entities, Place place, String reason, ErrorCode code, long resumeFrom)
            implements Outcome {}

    /** Entities committed together. */
    private record Batch(List<Entity> entities, Place first) {}

    /** A batch in flight. */
    private record Sent(Batch batch, Future<?> answer) {}

    private final EntityTarget database;
    private final Options options;
    private final Progress progress;
    private final KeyRewriting rewriting;
    private final Deque<Sent> inFlight = new ArrayDeque<>();
    private final Set<Key> keysInFlight = new HashSet<>();
    private long stored;
    private long bad;

    public EntityImport(EntityTarget database, Options options, Progress progress) {
        this.database = database;
        this.options = options;
        this.progress = progress;
        this.rewriting = new KeyRewriting(options.target(), options.namespace());
    }

    /** Imports {@code source} to its end or to the first failure, and leaves it open. */
    public Outcome readFrom(EntitySource source) {
        try (ExecutorService sending = Executors.newVirtualThreadPerTaskExecutor()) {
            return read(source, sending);
        }
    }

    private Outcome read(EntitySource source, ExecutorService sending) {
        List<Entity> gathered = new ArrayList<>();
        Place first = new Place("", 0);
        int bytes = 0;
        for (EntitySource.Entry record = source.next(); record != null; record = source.next()) {
            if (record.place().number() < options.from()) {
                continue;
            }
            switch (record) {
                case Bad unreadable -> {
                    bad++;
                    if (options.skipBad() == null) {
                        Stopped failed = flush(gathered, first, sending);
                        return failed != null ? failed : stoppedBy(unreadable);
                    }
                    options.skipBad().accept(unreadable);
                }
                case Good good -> {
                    Entity entity = rewriting.rewrite(good.entity());
                    boolean twice = keysInFlight.contains(entity.getKey());
                    if (twice
                            || gathered.size() == BATCH_ENTITIES_MAX
                            || bytes + entity.getSerializedSize() > BATCH_BYTES_MAX) {
                        Stopped failed =
                                twice
                                        ? flush(gathered, first, sending)
                                        : send(gathered, first, sending);
                        if (failed != null) {
                            return failed;
                        }
                        progress.moved(stored, source.bytesRead(), source.bytesTotal());
                        gathered = new ArrayList<>();
                        bytes = 0;
                    }
                    if (gathered.isEmpty()) {
                        first = good.place();
                    }
                    gathered.add(entity);
                    keysInFlight.add(entity.getKey());
                    bytes += entity.getSerializedSize();
                }
            }
        }
        Stopped failed = flush(gathered, first, sending);
        progress.moved(stored, source.bytesRead(), source.bytesTotal());
        return failed != null ? failed : new Done(stored, bad);
    }

    private Stopped stoppedBy(Bad unreadable) {
        return new Stopped(
                stored,
                unreadable.place(),
                unreadable.reason(),
                ErrorCode.INVALID_ARGUMENT,
                unreadable.place().number());
    }

    /** Sends a batch; waits for the oldest one if too many are in flight. */
    private @Nullable Stopped send(List<Entity> entities, Place first, ExecutorService sending) {
        if (entities.isEmpty()) {
            return null;
        }
        Batch batch = new Batch(entities, first);
        if (options.dryRun()) {
            arrived(batch);
            return null;
        }
        inFlight.add(new Sent(batch, sending.submit(() -> commit(batch))));
        while (inFlight.size() >= BATCHES_IN_FLIGHT_MAX) {
            Stopped failed = settleOldest();
            if (failed != null) {
                return failed;
            }
        }
        return null;
    }

    /** Sends a batch and waits until none is in flight. */
    private @Nullable Stopped flush(List<Entity> entities, Place first, ExecutorService sending) {
        Stopped failed = send(entities, first, sending);
        while (failed == null && !inFlight.isEmpty()) {
            failed = settleOldest();
        }
        return failed;
    }

    private @Nullable Stopped settleOldest() {
        Sent oldest = inFlight.remove();
        try {
            oldest.answer().get();
            arrived(oldest.batch());
            return null;
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            Place place = oldest.batch().first();
            String what =
                    "the "
                            + oldest.batch().entities().size()
                            + " entities from here on were refused: "
                            + (cause == null ? failed : cause.getMessage());
            ErrorCode code =
                    cause instanceof PetrichorException petrichor
                            ? petrichor.code()
                            : ErrorCode.INTERNAL;
            // Later batches may succeed nevertheless; they are awaited but not counted.
            return new Stopped(stored, place, what, code, place.number());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, interrupted, "the import was interrupted");
        }
    }

    private void arrived(Batch batch) {
        stored += batch.entities().size();
        for (Entity entity : batch.entities()) {
            keysInFlight.remove(entity.getKey());
        }
    }

    /** Commits a batch. Upserts are idempotent, so failures that may be temporary are retried. */
    private void commit(Batch batch) {
        CommitRequest.Builder request =
                CommitRequest.newBuilder()
                        .setProjectId(options.target().project())
                        .setDatabaseId(options.target().database())
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setSingleUseTransaction(
                                TransactionOptions.newBuilder()
                                        .setReadWrite(
                                                TransactionOptions.ReadWrite.getDefaultInstance()));
        ReserveIdsRequest.Builder reserve =
                ReserveIdsRequest.newBuilder()
                        .setProjectId(options.target().project())
                        .setDatabaseId(options.target().database());
        for (Entity entity : batch.entities()) {
            request.addMutations(Mutation.newBuilder().setUpsert(entity));
            Key key = entity.getKey();
            if (key.getPath(key.getPathCount() - 1).getId() != 0) {
                reserve.addKeys(key);
            }
        }
        if (reserve.getKeysCount() > 0) {
            insist(() -> database.reserveIds(reserve.build()));
        }
        insist(() -> database.commit(request.build()));
    }

    private static void insist(Runnable call) {
        long pause = FIRST_PAUSE.toMillis();
        for (int attempt = 1; ; attempt++) {
            try {
                call.run();
                return;
            } catch (PetrichorException failed) {
                boolean later =
                        failed.code() == ErrorCode.ABORTED
                                || failed.code() == ErrorCode.UNAVAILABLE
                                || failed.code() == ErrorCode.DEADLINE_EXCEEDED
                                || failed.code() == ErrorCode.RESOURCE_EXHAUSTED;
                if (!later || attempt == ATTEMPTS_MAX) {
                    throw failed;
                }
            }
            try {
                Thread.sleep(pause);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE, interrupted, "the import was interrupted");
            }
            pause *= 2;
        }
    }
}
