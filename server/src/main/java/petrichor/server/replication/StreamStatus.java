package petrichor.server.replication;

import com.google.gson.JsonObject;
import java.util.Optional;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.movement.replication.ReplicationLink;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.movement.replication.ReplicationProgress;
import petrichor.rpc.v1.DescribeReplica;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/** What the command shows of a stream: asks the source and the target. Stateless. */
final class StreamStatus {
    private static final double MICROS_PER_SECOND = 1e6;

    private StreamStatus() {}

    /** The part of this database: primary, replica or retired. */
    static JsonObject own(ReplicationOwner owner, String database) {
        ReplicaStatus status =
                owner.ask(
                                ReplicationRequest.newBuilder()
                                        .setDatabase(database)
                                        .setDescribe(DescribeReplica.getDefaultInstance())
                                        .build())
                        .getStatus();
        JsonObject json = new JsonObject();
        json.addProperty("database", database);
        json.addProperty("role", status.getRole().name());
        if (status.hasLeadership()) {
            json.addProperty("epoch", status.getLeadership().getEpoch());
        }
        if (status.getRole() == ReplicaStatus.Role.REPLICA) {
            json.addProperty("source", status.getSource());
            json.addProperty("complete", complete(status));
            addCounts(json, status);
        }
        return json;
    }

    private static boolean complete(ReplicaStatus status) {
        return status.getCopied() && status.getPosition() >= status.getConsistentFrom();
    }

    private static void addCounts(JsonObject json, ReplicaStatus status) {
        json.addProperty("position", String.valueOf(status.getPosition()));
        json.addProperty("commits", status.getCommits());
        json.addProperty("duplicates", status.getDuplicates());
        json.addProperty("rows", status.getRows());
        json.addProperty("replaced", status.getReplaced());
    }

    static JsonObject of(
            StreamState state, Optional<ReplicationProgress> progress, ReplicationLink link) {
        JsonObject json = new JsonObject();
        json.addProperty("name", state.stream().name());
        json.addProperty("target", state.target());
        json.addProperty("targetDatabase", state.stream().target());
        json.addProperty("paused", state.paused());
        progress.ifPresent(
                now -> {
                    json.addProperty("sentBytes", now.sentBytes());
                    json.addProperty("rawBytes", now.rawBytes());
                    json.addProperty("copies", now.copies());
                    json.addProperty("retries", now.retries());
                    if (!now.problem().isEmpty()) {
                        json.addProperty("problem", now.problem());
                    }
                });
        try {
            ReplicaStatus replica = link.describeTarget();
            json.addProperty("phase", phase(replica, state.stream().id()).name());
            addCounts(json, replica);
            if (replica.getRole() == ReplicaStatus.Role.REPLICA) {
                addLag(json, link, replica);
            }
        } catch (PetrichorException unavailable) {
            json.addProperty(
                    "phase",
                    progress.map(ReplicationProgress::phase)
                            .orElse(ReplicationProgress.Phase.CONNECT)
                            .name());
            json.addProperty("problem", unavailable.getMessage());
        }
        return json;
    }

    private static ReplicationProgress.Phase phase(ReplicaStatus replica, String stream) {
        return switch (replica.getRole()) {
            case PRIMARY -> ReplicationProgress.Phase.PROMOTED;
            case NONE, RETIRED, UNRECOGNIZED -> ReplicationProgress.Phase.CONNECT;
            case REPLICA -> {
                if (!replica.getStream().equals(stream)) {
                    yield ReplicationProgress.Phase.CONNECT;
                }
                if (!replica.getCopied()) {
                    yield ReplicationProgress.Phase.COPY;
                }
                yield complete(replica)
                        ? ReplicationProgress.Phase.FOLLOWING
                        : ReplicationProgress.Phase.CATCH_UP;
            }
        };
    }

    /** Counts at most one part of the feed. */
    private static void addLag(JsonObject json, ReplicationLink link, ReplicaStatus replica) {
        ReplicationResponse missing = link.read(replica.getPosition(), 0);
        long first = missing.getFirstVersion();
        json.addProperty("lagCommits", missing.getCommits());
        json.addProperty("lagBytes", missing.getRawBytes());
        json.addProperty("lagMore", missing.getPosition() < missing.getNewest());
        json.addProperty(
                "lagSeconds",
                first == 0
                        ? 0
                        : Math.max(0, TimeSource.SYSTEM.epochMicros() - first) / MICROS_PER_SECOND);
    }
}
