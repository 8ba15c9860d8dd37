package petrichor.client;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Commits of a change feed, in order and each once. When the connection ends, continues after the
 * last commit. With a consumer, a commit counts as processed when the next one is asked for; the
 * position after it is stored about once a second, and by {@link #close}. Confined to one thread.
 */
public final class FeedCommits implements Iterator<FeedCommit>, AutoCloseable {
    private static final long STORE_EVERY_NANOS = Duration.ofSeconds(1).toNanos();
    private static final Duration PAUSE_MIN = Duration.ofMillis(50);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

    private final ChangeFeedClient client;
    private final FeedSelection selection;
    private final Duration retryFor;
    private String position = "";
    private String stored = "";
    private long storedNanos = System.nanoTime();
    private @Nullable Stream<String> stream;
    private Iterator<String> lines = List.<String>of().iterator();
    private @Nullable FeedCommit ready;
    private boolean ended;

    /** After the commit that was returned last; empty if it was processed. */
    private String returned = "";

    FeedCommits(ChangeFeedClient client, FeedSelection selection, Duration retryFor) {
        this.client = client;
        this.selection = selection;
        this.retryFor = retryFor;
    }

    /** Where to continue: every commit up to here has been returned and processed. */
    public String position() {
        return position;
    }

    /** Waits for a commit; false at the end, which a selection that follows never has. */
    @Override
    public boolean hasNext() {
        long failedSince = 0;
        Duration pause = PAUSE_MIN;
        while (ready == null && !ended) {
            try {
                processed();
                readEvent();
                failedSince = 0;
                pause = PAUSE_MIN;
            } catch (PetrichorException failed) {
                disconnect();
                long now = System.nanoTime();
                failedSince = failedSince == 0 ? now : failedSince;
                if (failed.code() != ErrorCode.UNAVAILABLE
                        || Thread.currentThread().isInterrupted()
                        || now - failedSince >= retryFor.toNanos()) {
                    throw failed;
                }
                LockSupport.parkNanos(this, pause.toNanos());
                pause = pause.multipliedBy(2);
                pause = pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause;
            }
        }
        return ready != null;
    }

    @Override
    public FeedCommit next() {
        if (!hasNext() || ready == null) {
            throw new NoSuchElementException("the change feed has ended");
        }
        FeedCommit commit = ready;
        ready = null;
        returned = String.valueOf(commit.position());
        return commit;
    }

    private void processed() {
        if (position.isEmpty()) {
            start();
        }
        if (!returned.isEmpty()) {
            position = returned;
            returned = "";
        }
        if (System.nanoTime() - storedNanos > STORE_EVERY_NANOS) {
            store();
        }
    }

    private void start() {
        String from = selection.from();
        if (selection.consumer().isPresent()) {
            String consumer = selection.consumer().get();
            OptionalLong known = client.position(consumer);
            if (known.isEmpty()) {
                client.move(consumer, from);
                known = client.position(consumer);
            }
            from = String.valueOf(known.orElseThrow());
            stored = from;
        } else if (from.equals(FeedSelection.NEWEST)) {
            // So that a reconnection continues from there.
            from = String.valueOf(client.newest());
        }
        position = from;
    }

    private void store() {
        if (selection.consumer().isPresent() && !position.isEmpty() && !position.equals(stored)) {
            client.move(selection.consumer().get(), position);
            stored = position;
        }
        storedNanos = System.nanoTime();
    }

    /** An event is a few lines, {@code name: value}; an empty line ends it. */
    private void readEvent() {
        if (stream == null) {
            stream = client.lines(selection, position);
            lines = stream.iterator();
        }
        String event = "";
        String id = "";
        String data = "";
        while (nextLine()) {
            String line = lines.next();
            if (line.isEmpty()) {
                received(event, id, data);
                return;
            }
            int colon = line.indexOf(": ");
            String value = line.substring(colon + 2);
            switch (line.substring(0, Math.max(0, colon))) {
                case "event" -> event = value;
                case "id" -> id = value;
                case "data" -> data = value;
                default -> {
                    // A comment, which shows that the connection works.
                }
            }
        }
        if (selection.follow()) {
            throw client.unavailable(new IllegalStateException("it ended the stream"));
        }
        ended = true;
    }

    private boolean nextLine() {
        try {
            return lines.hasNext();
        } catch (UncheckedIOException failed) {
            throw client.unavailable(failed);
        }
    }

    private void received(String event, String id, String data) {
        switch (event) {
            case "error" -> throw client.refusal(200, data);
            case "commit" -> ready = commit(JsonParser.parseString(data).getAsJsonObject());
            default -> position = id.isEmpty() ? position : id;
        }
    }

    private static FeedCommit commit(JsonObject json) {
        List<FeedCommit.Change> changes = new ArrayList<>();
        for (JsonElement element : json.getAsJsonArray("entities")) {
            JsonObject one = element.getAsJsonObject();
            changes.add(
                    new FeedCommit.Change(
                            parsed(one.get("key"), Key.newBuilder()).build(),
                            entity(one.get("before")),
                            entity(one.get("after"))));
        }
        return new FeedCommit(
                json.get("position").getAsLong(),
                Instant.parse(json.get("time").getAsString()),
                changes);
    }

    private static @Nullable Entity entity(@Nullable JsonElement json) {
        return json == null ? null : parsed(json, Entity.newBuilder()).build();
    }

    private static <B extends Message.Builder> B parsed(JsonElement json, B builder) {
        try {
            JsonFormat.parser().merge(json.toString(), builder);
            return builder;
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    malformed,
                    "The server sent a malformed change; do client and server run the same"
                            + " version?");
        }
    }

    private void disconnect() {
        Stream<String> open = stream;
        stream = null;
        if (open != null) {
            open.close();
        }
    }

    /** Stores the position of the consumer. */
    @Override
    public void close() {
        disconnect();
        store();
    }
}
