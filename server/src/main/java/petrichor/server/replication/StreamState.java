package petrichor.server.replication;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.movement.replication.ReplicationStream;
import petrichor.rpc.v1.ReplicaSelection;

/**
 * A stream as it is stored. Immutable.
 *
 * @param target section of the file of targets
 * @param paused whether no server runs it
 * @param claim the server that runs it
 */
record StreamState(ReplicationStream stream, String target, boolean paused, Optional<Claim> claim) {
    /** How long a run may be without a sign of life before another server starts one. */
    static final Duration CLAIM = Duration.ofSeconds(15);

    /** A server's right to run the stream, until a time. */
    record Claim(String server, Instant until) {}

    StreamState withPaused(boolean now) {
        return new StreamState(stream, target, now, Optional.empty());
    }

    boolean claimableAt(Instant now, String server) {
        return !paused
                && (claim.isEmpty()
                        || claim.get().server().equals(server)
                        || !now.isBefore(claim.get().until()));
    }

    StreamState claimed(String server, Instant now) {
        return new StreamState(
                stream, target, paused, Optional.of(new Claim(server, now.plus(CLAIM))));
    }

    boolean claimedBy(String server) {
        return claim.isPresent() && claim.get().server().equals(server);
    }

    byte[] encoded() {
        JsonObject json = new JsonObject();
        json.addProperty("id", stream.id());
        json.addProperty("name", stream.name());
        json.addProperty("source", stream.source());
        json.addProperty("targetDatabase", stream.target());
        json.addProperty("place", stream.place());
        json.addProperty("target", target);
        json.addProperty("paused", paused);
        json.add("kinds", array(stream.selection().getKindsList()));
        json.add("namespaces", array(stream.selection().getNamespacesList()));
        json.add("masks", array(stream.selection().getMasksList()));
        claim.ifPresent(
                held -> {
                    json.addProperty("server", held.server());
                    json.addProperty("until", held.until().toString());
                });
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    static StreamState decode(byte[] bytes) {
        JsonObject json =
                JsonParser.parseString(new String(bytes, StandardCharsets.UTF_8)).getAsJsonObject();
        return new StreamState(
                new ReplicationStream(
                        json.get("id").getAsString(),
                        json.get("name").getAsString(),
                        json.get("source").getAsString(),
                        json.get("targetDatabase").getAsString(),
                        json.get("place").getAsString(),
                        ReplicaSelection.newBuilder()
                                .addAllKinds(texts(json.getAsJsonArray("kinds")))
                                .addAllNamespaces(texts(json.getAsJsonArray("namespaces")))
                                .addAllMasks(texts(json.getAsJsonArray("masks")))
                                .build()),
                json.get("target").getAsString(),
                json.get("paused").getAsBoolean(),
                Optional.ofNullable(json.get("server"))
                        .map(
                                server ->
                                        new Claim(
                                                server.getAsString(),
                                                Instant.parse(json.get("until").getAsString()))));
    }

    static JsonArray array(Iterable<String> texts) {
        JsonArray array = new JsonArray();
        texts.forEach(array::add);
        return array;
    }

    static List<String> texts(JsonArray array) {
        List<String> texts = new ArrayList<>();
        for (JsonElement element : array) {
            texts.add(element.getAsString());
        }
        return texts;
    }
}
