package petrichor.server.admin;

import com.google.datastore.admin.v1.CommonMetadata;
import com.google.datastore.admin.v1.OperationType;
import com.google.datastore.admin.v1.Progress;
import com.google.longrunning.Operation;
import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import com.google.rpc.Code;
import com.google.rpc.Status;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.rpc.CallFailure;

/**
 * Running exports and imports of this process, each on its own thread. Progress is kept in memory;
 * the operation log records start and end. An operation that is unfinished in the log but does not
 * run here failed with the server that ran it. Thread-safe.
 */
final class Transfers implements OperationOwner, AutoCloseable {
    /** Maximum number in this process; more are refused. */
    private static final int RUNNING_MAX = 2;

    private static final Duration STOP_TIME_MAX = Duration.ofSeconds(10);
    private static final System.Logger LOG = System.getLogger(Transfers.class.getName());

    /** The execution of an export or import; its result is the operation's response. */
    interface Work {
        Message run(TransferProgress progress);
    }

    /** The metadata message of one type of operation. */
    interface Metadata {
        Message of(CommonMetadata common, Progress entities, Progress bytes);
    }

    private record Running(
            Operation started,
            CommonMetadata common,
            Metadata metadata,
            TransferProgress progress,
            Thread thread) {
        Operation shown() {
            CommonMetadata.State state =
                    progress.stopped() == null
                            ? CommonMetadata.State.PROCESSING
                            : CommonMetadata.State.CANCELLING;
            return started.toBuilder()
                    .setMetadata(
                            Any.pack(
                                    metadata.of(
                                            common.toBuilder().setState(state).build(),
                                            progress.entities(),
                                            progress.bytes())))
                    .build();
        }
    }

    private final Supplier<EntityDatabases> databases;
    private final TimeSource time;

    /** By operation name; guarded by this. */
    private final Map<String, Running> running = new HashMap<>();

    private long started;
    private boolean closed;

    Transfers(Supplier<EntityDatabases> databases, TimeSource time) {
        this.databases = databases;
        this.time = time;
    }

    /** RESOURCE_EXHAUSTED if too many are running. */
    Operation begin(
            String project,
            OperationType type,
            Map<String, String> labels,
            Metadata metadata,
            Work work) {
        EntityDatabase database = databases.get().open(project, "");
        CommonMetadata common =
                CommonMetadata.newBuilder()
                        .setStartTime(now())
                        .setOperationType(type)
                        .putAllLabels(labels)
                        .setState(CommonMetadata.State.PROCESSING)
                        .build();
        Running transfer;
        synchronized (this) {
            if (closed || running.size() >= RUNNING_MAX) {
                throw PetrichorException.of(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "At most "
                                + RUNNING_MAX
                                + " exports and imports run at once; wait for one to end, or cancel"
                                + " it.");
            }
            String name =
                    "projects/"
                            + project
                            + "/operations/"
                            + type.name().toLowerCase(Locale.ROOT).replace('_', '-')
                            + "-"
                            + Long.toString(time.epochMicros(), Character.MAX_RADIX)
                            + "-"
                            + ++started;
            TransferProgress progress = new TransferProgress();
            // Not a virtual thread: calls of the embedded store would pin its carrier.
            Thread thread =
                    Thread.ofPlatform()
                            .daemon()
                            .name(name)
                            .unstarted(() -> run(project, name, work));
            transfer =
                    new Running(
                            Operation.newBuilder().setName(name).build(),
                            common,
                            metadata,
                            progress,
                            thread);
            running.put(name, transfer);
        }
        try {
            new OperationLog(database).add(transfer.shown());
        } catch (RuntimeException failed) {
            forget(transfer.started().getName());
            throw failed;
        }
        transfer.thread().start();
        return transfer.shown();
    }

    private void run(String project, String name, Work work) {
        Running transfer = find(name);
        if (transfer == null) {
            return;
        }
        Operation.Builder ended = Operation.newBuilder().setName(name).setDone(true);
        CommonMetadata.State state;
        try {
            ended.setResponse(Any.pack(work.run(transfer.progress())));
            state = CommonMetadata.State.SUCCESSFUL;
        } catch (RuntimeException | Error failed) {
            TransferProgress.Stop stop = transfer.progress().stopped();
            state =
                    stop == TransferProgress.Stop.CANCELLED
                            ? CommonMetadata.State.CANCELLED
                            : CommonMetadata.State.FAILED;
            ended.setError(error(name, stop, failed));
        }
        Message metadata =
                transfer.metadata()
                        .of(
                                transfer.common().toBuilder()
                                        .setState(state)
                                        .setEndTime(now())
                                        .build(),
                                transfer.progress().entities(),
                                transfer.progress().bytes());
        try {
            new OperationLog(databases.get().open(project, ""))
                    .replace(ended.setMetadata(Any.pack(metadata)).build());
        } catch (RuntimeException unrecorded) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The result of {0} ({1}) could not be recorded; the operation will be shown as"
                            + " failed: {2}",
                    name,
                    state,
                    unrecorded.getMessage());
        } finally {
            forget(name);
        }
    }

    private static Status error(
            String name, TransferProgress.@Nullable Stop stop, Throwable failed) {
        if (stop == TransferProgress.Stop.CANCELLED) {
            return status(Code.CANCELLED, "The operation was cancelled.");
        }
        if (stop == TransferProgress.Stop.SERVER_STOPS
                || CallFailure.cause(failed) instanceof NotOwner) {
            return status(Code.ABORTED, STOPPED);
        }
        LOG.log(System.Logger.Level.WARNING, "{0} failed: {1}", name, failed);
        if (failed instanceof PetrichorException known) {
            return status(Code.valueOf(known.code().name()), String.valueOf(known.getMessage()));
        }
        LOG.log(System.Logger.Level.WARNING, "an operation failed unexpectedly", failed);
        return status(Code.INTERNAL, "An internal error; see the server's log.");
    }

    private static final String STOPPED =
            "The server that ran the operation stopped, or lost the database; start it again.";

    private static Status status(Code code, String text) {
        return Status.newBuilder().setCode(code.getNumber()).setMessage(text).build();
    }

    private Timestamp now() {
        return Timestamps.fromMicros(time.epochMicros());
    }

    private synchronized @Nullable Running find(String name) {
        return running.get(name);
    }

    private synchronized void forget(String name) {
        running.remove(name);
    }

    @Override
    public boolean owns(Operation operation) {
        return TransferAdmin.METADATA.stream().anyMatch(operation.getMetadata()::is);
    }

    @Override
    public Operation settled(EntityDatabase database, OperationLog log, Operation operation) {
        Running transfer = find(operation.getName());
        if (transfer != null) {
            return transfer.shown();
        }
        // The operation may have ended since the log was read: it records its end before it is
        // removed from memory.
        Operation newest = log.get(operation.getName());
        if (newest.getDone() || !database.rows().sequencedHere()) {
            return newest;
        }
        Operation lost =
                newest.toBuilder()
                        .setDone(true)
                        .setMetadata(TransferAdmin.failed(newest.getMetadata(), now()))
                        .setError(status(Code.ABORTED, STOPPED))
                        .build();
        log.replace(lost);
        return lost;
    }

    @Override
    public void cancel(EntityDatabase database, OperationLog log, Operation operation) {
        Running transfer = find(operation.getName());
        if (transfer != null) {
            transfer.progress().stop(TransferProgress.Stop.CANCELLED);
        }
    }

    /** Stops all operations, and waits until they have recorded it. */
    @Override
    public void close() {
        List<Running> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(running.values());
        }
        all.forEach(one -> one.progress().stop(TransferProgress.Stop.SERVER_STOPS));
        for (Running one : all) {
            try {
                if (!one.thread().join(STOP_TIME_MAX)) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "{0} did not stop in time",
                            one.started().getName());
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
