package petrichor.server.changes;

import com.google.datastore.v1.Key;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityRow;
import petrichor.entities.changes.EntityChange;
import petrichor.entities.changes.EntityCommit;
import petrichor.entities.changes.EntitySelection;
import petrichor.rpc.OwnerCalls;
import petrichor.rpc.Rpc;
import petrichor.rpc.v1.ChangedEntities;
import petrichor.rpc.v1.ChangedEntity;
import petrichor.rpc.v1.ChangesConsumer;
import petrichor.rpc.v1.ChangesRequest;
import petrichor.rpc.v1.ChangesResponse;
import petrichor.rpc.v1.MoveConsumer;
import petrichor.rpc.v1.ReadChanges;
import petrichor.transactions.ChangeConsumer;
import petrichor.transactions.ChangeFeed;
import petrichor.transactions.Changes;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.Row;

/**
 * Reads the change feeds of databases at their owners. A read that finds nothing waits at the owner
 * for the next commit, without a thread there being busy. Each call runs on a virtual thread.
 * Thread-safe.
 */
public final class ChangeService {
    /** Commits of a part; its size in bytes is usually reached before. */
    private static final int COMMITS_MAX = 1_000;

    /** Longer than the owner waits for a commit. */
    private static final long CALL_MAX_NANOS = TimeUnit.SECONDS.toNanos(60);

    static final long WAIT_MS_MAX = 30_000;

    private static final OwnerCalls.Method<ChangesRequest, ChangesResponse> METHOD =
            new OwnerCalls.Method<>(
                    "petrichor.rpc.v1.Changes",
                    ChangesRequest.parser(),
                    ChangesResponse.parser(),
                    ChangesRequest::getDatabase,
                    CALL_MAX_NANOS);

    private final Supplier<Databases> databases;
    private final OwnerCalls<ChangesRequest, ChangesResponse> calls;

    /**
     * @param databases those that this server owns
     */
    public ChangeService(Supplier<Databases> databases, Rpc rpc) {
        this.databases = databases;
        this.calls = new OwnerCalls<>(rpc, METHOD, this::executed);
    }

    /** Executes a call at the owner and waits for its answer. */
    ChangesResponse ask(ChangesRequest request) {
        return calls.ask(request);
    }

    // ---- at the owner

    private ChangesResponse executed(ChangesRequest request, Cancellation cancellation) {
        Database database = databases.get().open(request.getDatabase());
        if (!database.sequencedHere()) {
            throw new NotSequencedHere(request.getDatabase());
        }
        ChangeFeed feed = database.changes();
        return switch (request.getWhatCase()) {
            case READ -> read(feed, request.getDatabase(), request.getRead(), cancellation);
            case LIST_CONSUMERS -> consumers(feed, feed.consumers());
            case MOVE_CONSUMER -> {
                MoveConsumer move = request.getMoveConsumer();
                yield consumers(
                        feed, List.of(feed.moveConsumer(move.getName(), target(feed, move))));
            }
            case DELETE_CONSUMER -> {
                feed.deleteConsumer(request.getDeleteConsumer().getName());
                yield consumers(feed, List.of());
            }
            case WHAT_NOT_SET -> throw incomplete();
        };
    }

    private static PetrichorException incomplete() {
        return PetrichorException.invalid(
                "another server sent an incomplete request for changes; do all servers run the"
                        + " same version?");
    }

    private static long target(ChangeFeed feed, MoveConsumer move) {
        return switch (move.getToCase()) {
            case POSITION -> move.getPosition();
            case OLDEST -> feed.oldest();
            case NEWEST -> feed.newest();
            case TO_NOT_SET -> throw incomplete();
        };
    }

    private static ChangesResponse consumers(ChangeFeed feed, List<ChangeConsumer> consumers) {
        ChangesResponse.Builder response =
                ChangesResponse.newBuilder().setOldest(feed.oldest()).setNewest(feed.newest());
        for (ChangeConsumer consumer : consumers) {
            response.addConsumers(
                    ChangesConsumer.newBuilder()
                            .setName(consumer.name())
                            .setPosition(consumer.position())
                            .setMovedMicros(consumer.movedMicros()));
        }
        return response.build();
    }

    private static long start(ChangeFeed feed, ReadChanges read) {
        return switch (read.getFromCase()) {
            case POSITION -> read.getPosition();
            case OLDEST -> feed.oldest();
            case NEWEST -> feed.newest();
            case CONSUMER ->
                    feed.consumers().stream()
                            .filter(one -> one.name().equals(read.getConsumer()))
                            .findFirst()
                            .map(ChangeConsumer::position)
                            .orElseThrow(
                                    () ->
                                            PetrichorException.of(
                                                    ErrorCode.NOT_FOUND,
                                                    "There is no consumer {consumer}; create it"
                                                            + " with a position.",
                                                    "consumer",
                                                    read.getConsumer()));
            case FROM_NOT_SET -> throw incomplete();
        };
    }

    /** Reads until something is selected, nothing is left, or the wait is over. */
    private static ChangesResponse read(
            ChangeFeed feed, String database, ReadChanges read, Cancellation cancellation) {
        EntitySelection selection = selection(read);
        int slash = database.indexOf('/');
        String project = slash < 0 ? database : database.substring(0, slash);
        String id = slash < 0 ? "" : database.substring(slash + 1);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs(read));
        long position = start(feed, read);
        while (true) {
            cancellation.check();
            Changes part = feed.after(position, COMMITS_MAX, read.getBytesMax());
            List<EntityCommit> commits = selection.of(part, project, id);
            boolean more = part.position() > position;
            position = part.position();
            long left = end - System.nanoTime();
            if (!commits.isEmpty() || left <= 0) {
                return response(feed, position, commits);
            }
            if (!more) {
                await(feed, position, left);
            }
        }
    }

    private static long waitMs(ReadChanges read) {
        return Math.clamp(read.getWaitMs(), 0, WAIT_MS_MAX);
    }

    private static void await(ChangeFeed feed, long position, long nanos) {
        try {
            feed.beyond(position).get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException nothingNew) {
            // The caller reads once more and answers.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static EntitySelection selection(ReadChanges read) {
        try {
            return new EntitySelection(
                    read.hasKind() ? Optional.of(read.getKind()) : Optional.empty(),
                    read.hasNamespace() ? Optional.of(read.getNamespace()) : Optional.empty(),
                    read.getAncestor().isEmpty()
                            ? Optional.empty()
                            : Optional.of(Key.parseFrom(read.getAncestor())));
        } catch (InvalidProtocolBufferException malformed) {
            throw incomplete();
        }
    }

    private static ChangesResponse response(
            ChangeFeed feed, long position, List<EntityCommit> commits) {
        ChangesResponse.Builder response =
                ChangesResponse.newBuilder().setPosition(position).setNewest(feed.newest());
        for (EntityCommit commit : commits) {
            ChangedEntities.Builder changed =
                    ChangedEntities.newBuilder().setVersion(commit.version());
            for (EntityChange entity : commit.entities()) {
                changed.addEntities(
                        ChangedEntity.newBuilder()
                                .setKey(entity.key().toByteString())
                                .setBefore(entityBytes(entity.rows().before()))
                                .setAfter(entityBytes(entity.rows().after()))
                                .setBeforeVersion(entity.beforeVersion()));
            }
            response.addCommits(changed);
        }
        return response.build();
    }

    private static ByteString entityBytes(@Nullable Row row) {
        return row == null
                ? ByteString.EMPTY
                : ByteString.copyFrom(EntityRow.entityBytes(row.value()));
    }
}
