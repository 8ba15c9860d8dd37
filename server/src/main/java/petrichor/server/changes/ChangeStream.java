package petrichor.server.changes;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageOrBuilder;
import com.google.protobuf.util.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;
import petrichor.rpc.v1.ChangedEntities;
import petrichor.rpc.v1.ChangedEntity;
import petrichor.rpc.v1.ChangesRequest;
import petrichor.rpc.v1.ChangesResponse;
import petrichor.rpc.v1.ReadChanges;

/**
 * Changes as server-sent events:
 *
 * <ul>
 *   <li>{@code commit}: everything that a transaction changed and that the client wants
 *   <li>{@code position}: commits up to here changed nothing that the client wants; sent at most
 *       once a minute, and as the last event of a stream that does not follow
 *   <li>{@code error}: the last event of a stream that failed
 * </ul>
 *
 * The id of an event is the position after it, from which a client continues. Confined to one
 * thread at a time.
 */
final class ChangeStream implements Page.Rest {
    /** Rows of a part, before and after; it ends with the commit that exceeds this. */
    private static final long PART_BYTES_MAX = 1 << 20;

    /** Then a comment is sent, which detects disconnected clients. */
    private static final long SILENCE_MS = 10_000;

    /**
     * Between position events. Storing a position is a commit of the server itself, after which the
     * position is another one: without this pause, a consumer would never rest.
     */
    private static final long POSITION_EVERY_NANOS = 60_000_000_000L;

    private static final JsonFormat.Printer JSON =
            JsonFormat.printer().omittingInsignificantWhitespace();

    private final ChangeService service;
    private final ChangesRequest.Builder about;
    private final ReadChanges.Builder read;
    private final boolean follow;
    private final Runnable closed;

    /** Where a stream that does not follow ends. */
    private final long end;

    private final AtomicBoolean released = new AtomicBoolean();
    private long sentNanos = System.nanoTime();
    private @Nullable ChangesResponse next;
    private long position;
    private boolean over;

    private ChangeStream(
            ChangeService service,
            ChangesRequest.Builder about,
            ReadChanges.Builder read,
            boolean follow,
            Runnable closed,
            ChangesResponse first) {
        this.service = service;
        this.about = about;
        this.read = read;
        this.follow = follow;
        this.closed = closed;
        this.next = first;
        this.position = first.getPosition();
        this.end = first.getNewest();
    }

    /**
     * Reads the first part, so that a position that is no longer kept refuses the request.
     *
     * @param closed called once, when the stream has ended
     */
    static ChangeStream open(
            ChangeService service,
            ChangesRequest.Builder about,
            ReadChanges.Builder read,
            boolean follow,
            Runnable closed) {
        read.setBytesMax(PART_BYTES_MAX);
        return new ChangeStream(
                service,
                about,
                read,
                follow,
                closed,
                service.ask(about.setRead(read.setWaitMs(0)).build()));
    }

    @Override
    public byte @Nullable [] get() {
        if (over) {
            return null;
        }
        String text;
        try {
            text = text();
        } catch (PetrichorException failed) {
            over = true;
            text = "event: error\ndata: " + ChangePages.error(failed) + "\n\n";
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private String text() {
        ChangesResponse part = next;
        next = null;
        if (part == null) {
            read.setPosition(position).setWaitMs(follow ? SILENCE_MS : 0);
            part = service.ask(about.setRead(read).build());
        }
        position = part.getPosition();
        over = !follow && position >= end;
        StringBuilder text = new StringBuilder();
        for (ChangedEntities commit : part.getCommitsList()) {
            text.append("id: ").append(commit.getVersion()).append("\nevent: commit\ndata: ");
            text.append(json(commit)).append("\n\n");
        }
        long now = System.nanoTime();
        if (over || (part.getCommitsCount() == 0 && now - sentNanos > POSITION_EVERY_NANOS)) {
            sentNanos = now;
            text.append("id: ")
                    .append(position)
                    .append("\nevent: position\ndata: {\"position\":\"");
            text.append(position).append("\"}\n\n");
        }
        return text.isEmpty() ? ": nothing new\n\n" : text.toString();
    }

    private static JsonObject json(ChangedEntities commit) {
        JsonArray entities = new JsonArray();
        for (ChangedEntity entity : commit.getEntitiesList()) {
            JsonObject one = new JsonObject();
            boolean before = !entity.getBefore().isEmpty();
            boolean after = !entity.getAfter().isEmpty();
            one.addProperty("change", !before ? "insert" : after ? "update" : "delete");
            one.add("key", json(key(entity.getKey())));
            if (before) {
                one.add("before", json(entity(entity.getBefore())));
                one.addProperty("beforeVersion", String.valueOf(entity.getBeforeVersion()));
            }
            if (after) {
                one.add("after", json(entity(entity.getAfter())));
            }
            entities.add(one);
        }
        JsonObject json = new JsonObject();
        json.addProperty("position", String.valueOf(commit.getVersion()));
        json.addProperty("time", time(commit.getVersion()));
        json.add("entities", entities);
        return json;
    }

    static String time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).toString();
    }

    private static Key key(ByteString bytes) {
        try {
            return Key.parseFrom(bytes);
        } catch (InvalidProtocolBufferException malformed) {
            throw damaged(malformed);
        }
    }

    private static Entity entity(ByteString bytes) {
        try {
            return Entity.parseFrom(bytes);
        } catch (InvalidProtocolBufferException malformed) {
            throw damaged(malformed);
        }
    }

    private static JsonElement json(MessageOrBuilder message) {
        try {
            return JsonParser.parseString(JSON.print(message));
        } catch (InvalidProtocolBufferException malformed) {
            throw damaged(malformed);
        }
    }

    private static PetrichorException damaged(InvalidProtocolBufferException malformed) {
        return PetrichorException.of(
                ErrorCode.INTERNAL, malformed, "A stored entity of the change feed is damaged.");
    }

    @Override
    public void close() {
        if (!released.getAndSet(true)) {
            closed.run();
        }
    }
}
