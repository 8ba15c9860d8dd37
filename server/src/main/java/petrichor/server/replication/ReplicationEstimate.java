package petrichor.server.replication;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import java.time.Duration;
import petrichor.movement.replication.ReplicationLink;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationResponse;

/**
 * What a replication would transfer: reads the source as the copy would, and the recent changes.
 * Writes nothing. Confined to one thread.
 */
final class ReplicationEstimate {
    private static final long COUNT_MAX_NANOS = Duration.ofSeconds(20).toNanos();
    private static final long RECENT_MICROS = Duration.ofHours(1).toNanos() / 1_000;
    private static final int RECENT_PARTS_MAX = 50;
    private static final double MICROS_PER_SECOND = 1e6;

    private final ReplicationLink link;

    ReplicationEstimate(ReplicationLink link) {
        this.link = link;
    }

    JsonObject json(String target) {
        ReplicaStatus.Role role = link.describeTarget().getRole();
        JsonObject json = new JsonObject();
        json.addProperty("name", link.stream().name());
        json.addProperty("target", target);
        json.addProperty("targetDatabase", link.stream().target());
        json.addProperty("targetRole", role.name());
        addCopy(json);
        addChanges(json);
        return json;
    }

    private void addCopy(JsonObject json) {
        long end = System.nanoTime() + COUNT_MAX_NANOS;
        long rows = 0;
        long raw = 0;
        long sent = 0;
        ByteString from = ByteString.EMPTY;
        boolean complete = false;
        while (!complete && System.nanoTime() < end) {
            ReplicationResponse part = link.readRange(from);
            rows += part.getCount();
            raw += part.getRawBytes();
            sent += part.getRows().size();
            from = part.getNext();
            complete = part.getEnd();
        }
        json.addProperty("rows", rows);
        json.addProperty("rawBytes", raw);
        json.addProperty("sentBytes", sent);
        json.addProperty("complete", complete);
    }

    /** Of the last hour, if so much is kept. */
    private void addChanges(JsonObject json) {
        ReplicationResponse now = link.describeSource();
        long start = Math.max(now.getOldest(), now.getNewest() - RECENT_MICROS);
        long position = start;
        long sent = 0;
        long commits = 0;
        for (int part = 0; part < RECENT_PARTS_MAX && position < now.getNewest(); part++) {
            ReplicationResponse changes = link.read(position, 0);
            sent += changes.getRows().size();
            commits += changes.getCommits();
            position = changes.getPosition();
        }
        double seconds = (position - start) / MICROS_PER_SECOND;
        json.addProperty("recentCommits", commits);
        json.addProperty("recentSeconds", seconds);
        json.addProperty(
                "changedBytesPerDay", seconds < 1 ? 0 : Math.round(sent / seconds * 86_400));
    }
}
