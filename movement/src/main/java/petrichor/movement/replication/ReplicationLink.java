package petrichor.movement.replication;

import com.google.protobuf.ByteString;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.v1.ApplyChanges;
import petrichor.rpc.v1.BeginReplica;
import petrichor.rpc.v1.CopySource;
import petrichor.rpc.v1.DescribeReplica;
import petrichor.rpc.v1.DropHold;
import petrichor.rpc.v1.FenceSource;
import petrichor.rpc.v1.HoldSource;
import petrichor.rpc.v1.LeadDatabase;
import petrichor.rpc.v1.Leadership;
import petrichor.rpc.v1.PromoteReplica;
import petrichor.rpc.v1.RaiseEpoch;
import petrichor.rpc.v1.ReadSource;
import petrichor.rpc.v1.ReopenSource;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.rpc.v1.ReplicationResponse.Outcome;
import petrichor.rpc.v1.StoreRange;

/** The two databases of a stream, and the requests to them. Thread-safe; calls block. */
public final class ReplicationLink {
    /** Commits of a part of the feed; see the measurement in the design note. */
    public static final long BATCH_BYTES = 1 << 20;

    private static final long COPY_BYTES = 512 << 10;

    /** Between the fence and the promotion; commits are refused meanwhile. */
    private static final int DRAIN_BATCHES_MAX = 10_000;

    private final ReplicationStream stream;
    private final ReplicationOwner source;
    private final ReplicationOwner target;

    public ReplicationLink(
            ReplicationStream stream, ReplicationOwner source, ReplicationOwner target) {
        this.stream = stream;
        this.source = source;
        this.target = target;
    }

    public ReplicationStream stream() {
        return stream;
    }

    private ReplicationResponse atSource(ReplicationRequest.Builder request) {
        return source.ask(request.setDatabase(stream.source()).build());
    }

    private ReplicationResponse atTarget(ReplicationRequest.Builder request) {
        return target.ask(request.setDatabase(stream.target()).build());
    }

    private static ReplicationRequest.Builder request() {
        return ReplicationRequest.newBuilder();
    }

    /** Status, positions and indexes of the source. */
    public ReplicationResponse describeSource() {
        return atSource(request().setDescribe(DescribeReplica.getDefaultInstance()));
    }

    public ReplicaStatus describeTarget() {
        return atTarget(request().setDescribe(DescribeReplica.getDefaultInstance())).getStatus();
    }

    ReplicaStatus lead() {
        return atSource(request().setLead(LeadDatabase.getDefaultInstance())).getStatus();
    }

    /**
     * @param epoch of the source that is closed; nothing if it has another one
     */
    ReplicationResponse fence(String reason, long epoch) {
        return atSource(
                request()
                        .setFence(
                                FenceSource.newBuilder()
                                        .setReason(reason)
                                        .setEpoch(epoch)
                                        .setStream(stream.id())));
    }

    void hold(long position) {
        var _ =
                atSource(
                        request()
                                .setHold(
                                        HoldSource.newBuilder()
                                                .setConsumer(stream.consumer())
                                                .setPosition(position)));
    }

    /** The source no longer keeps changes for the stream. */
    public void dropConsumer() {
        var _ = atSource(request().setDrop(DropHold.newBuilder().setConsumer(stream.consumer())));
    }

    /** Changes after a position, in commit order. */
    public ReplicationResponse read(long position, int waitMs) {
        return atSource(
                request()
                        .setRead(
                                ReadSource.newBuilder()
                                        .setPosition(position)
                                        .setBytesMax(BATCH_BYTES)
                                        .setWaitMs(waitMs)
                                        .setSelection(stream.selection())));
    }

    ReplicationResponse begin(Leadership leader, long position) {
        ReplicationResponse described = describeSource();
        return atTarget(
                request()
                        .setBegin(
                                BeginReplica.newBuilder()
                                        .setLeadership(leader)
                                        .setStream(stream.id())
                                        .setSource(stream.place())
                                        .setPosition(position)
                                        .setPartial(new RowSelection(stream.selection()).partial())
                                        .setDeclaredIndexes(described.getDeclaredIndexes())
                                        .setAutomaticIndexes(described.getAutomaticIndexes())));
    }

    /** Reads the next range of the source for a copy. */
    public ReplicationResponse readRange(ByteString from) {
        return atSource(
                request()
                        .setCopy(
                                CopySource.newBuilder()
                                        .setFrom(from)
                                        .setBytesMax(COPY_BYTES)
                                        .setSelection(stream.selection())));
    }

    ReplicationResponse storeRange(Leadership leader, ByteString from, ReplicationResponse rows) {
        return atTarget(
                request()
                        .setRange(
                                StoreRange.newBuilder()
                                        .setLeadership(leader)
                                        .setStream(stream.id())
                                        .setFrom(from)
                                        .setTo(rows.getEnd() ? ByteString.EMPTY : rows.getNext())
                                        .setRows(rows.getRows())
                                        .setRawBytes(rows.getRawBytes())
                                        .setVersion(rows.getVersion())
                                        .setSelection(stream.selection())));
    }

    ReplicationResponse apply(Leadership leader, long from, ReplicationResponse changes) {
        return atTarget(
                request()
                        .setApply(
                                ApplyChanges.newBuilder()
                                        .setLeadership(leader)
                                        .setStream(stream.id())
                                        .setFrom(from)
                                        .setTo(changes.getPosition())
                                        .setRows(changes.getRows())
                                        .setRawBytes(changes.getRawBytes())
                                        .setDeclaredIndexes(changes.getDeclaredIndexes())
                                        .setAutomaticIndexes(changes.getAutomaticIndexes())));
    }

    /**
     * Makes the target the primary while the source is available: the source refuses commits, the
     * target gets the last ones, and accepts commits from then on. May be repeated until it
     * succeeds; {@link #reopen} gives up.
     *
     * @return how long the source refused commits before the target accepted them, in nanoseconds
     */
    public long switchOver() {
        Leadership held = describeSource().getStatus().getLeadership();
        requireTarget(held, describeTarget());
        long start = System.nanoTime();
        ReplicationResponse fenced =
                fence(
                        "The database "
                                + stream.source()
                                + " was switched to its replica "
                                + stream.name()
                                + ": write there.",
                        held.getEpoch());
        requireClosedByThis(fenced.getStatus());
        Leadership leader = fenced.getStatus().getLeadership();
        long position = drained(leader, fenced.getNewest());
        var _ =
                atTarget(
                        request()
                                .setPromote(
                                        PromoteReplica.newBuilder()
                                                .setEpoch(leader.getEpoch() + 1)
                                                .setPosition(position)
                                                .setLeadership(leader)
                                                .setStream(stream.id())));
        return System.nanoTime() - start;
    }

    /** The target has everything except the last changes, or is the promoted replica already. */
    private void requireTarget(Leadership leader, ReplicaStatus target) {
        if (promoted(leader, target)) {
            return;
        }
        if (!follows(leader, target)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The target of {stream} does not follow {database}: wait until `petrichor"
                            + " replicate status` shows FOLLOWING. After a `reopen` that was"
                            + " interrupted, repeat it.",
                    "stream",
                    stream.name(),
                    "database",
                    stream.source());
        }
        if (target.getPartial()
                || !target.getCopied()
                || target.getPosition() < target.getConsistentFrom()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The replica of {database} is not a complete copy yet; wait until `petrichor"
                            + " replicate status` shows FOLLOWING. A replica with filters or masks"
                            + " cannot become the primary.",
                    "database",
                    stream.source());
        }
    }

    private boolean follows(Leadership leader, ReplicaStatus target) {
        return target.getRole() == ReplicaStatus.Role.REPLICA
                && target.getStream().equals(stream.id())
                && target.getLeadership().equals(leader);
    }

    private static boolean promoted(Leadership leader, ReplicaStatus target) {
        return target.getRole() == ReplicaStatus.Role.PRIMARY
                && !leader.getLineage().isEmpty()
                && target.getLeadership().getLineage().equals(leader.getLineage())
                && target.getLeadership().getEpoch() == leader.getEpoch() + 1;
    }

    /** A source can have several replicas, of which only one may take its place. */
    private void requireClosedByThis(ReplicaStatus held) {
        if (held.getRole() != ReplicaStatus.Role.RETIRED || !held.getStream().equals(stream.id())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "Another replication than {stream} closed {database}, or it is itself a"
                            + " replica: `petrichor replicate status` shows its role. Finish the"
                            + " switch of that replication, or reopen it there.",
                    "stream",
                    stream.name(),
                    "database",
                    stream.source());
        }
    }

    /** Applies what is left; returns the position of the target. */
    private long drained(Leadership leader, long newest) {
        for (int batch = 0; batch < DRAIN_BATCHES_MAX; batch++) {
            ReplicaStatus replica = describeTarget();
            requireTarget(leader, replica);
            if (promoted(leader, replica) || replica.getPosition() >= newest) {
                return replica.getPosition();
            }
            // The state of the replica shows the outcome.
            var _ = apply(leader, replica.getPosition(), read(replica.getPosition(), 0));
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "The replica did not get the last changes of {database} in time; repeat the"
                        + " switch, or run `petrichor replicate reopen`.",
                "database",
                stream.source());
    }

    /**
     * Before the stream is removed: without it, its switch could not be finished or given up.
     * FAILED_PRECONDITION if the stream closed the source and its target is not the primary.
     */
    public void requireNoSwitch() {
        ReplicaStatus held = describeSource().getStatus();
        if (held.getRole() == ReplicaStatus.Role.RETIRED
                && held.getStream().equals(stream.id())
                && !promoted(held.getLeadership(), describeTarget())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The replication {stream} closed {database} for a switch; repeat `petrichor"
                            + " replicate switch`, or run `petrichor replicate reopen`.",
                    "stream",
                    stream.name(),
                    "database",
                    stream.source());
        }
    }

    /**
     * Lets the source accept commits again after a switch that failed; nothing if it does. The
     * target must be available: it promises to refuse a promotion that is still under way.
     */
    public void reopen() {
        ReplicaStatus closed = describeSource().getStatus();
        if (closed.getRole() == ReplicaStatus.Role.PRIMARY) {
            return;
        }
        requireClosedByThis(closed);
        Leadership held = closed.getLeadership();
        long epoch = held.getEpoch() + 2;
        ReplicationResponse raised =
                atTarget(
                        request()
                                .setRaise(
                                        RaiseEpoch.newBuilder()
                                                .setLeadership(held.toBuilder().setEpoch(epoch))
                                                .setStream(stream.id())));
        boolean promised =
                raised.getOutcome() == Outcome.DONE
                        && raised.getStatus().getLeadership().getEpoch() == epoch;
        if (!promised) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The target of {stream} is the primary now, so {database} stays closed;"
                            + " replicate in the other direction, and switch back.",
                    "stream",
                    stream.name(),
                    "database",
                    stream.source());
        }
        var _ =
                atSource(
                        request()
                                .setReopen(
                                        ReopenSource.newBuilder()
                                                .setEpoch(epoch)
                                                .setStream(stream.id())));
    }
}
