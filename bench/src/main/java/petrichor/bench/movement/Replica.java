package petrichor.bench.movement;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;

/** The replication of the default database from one server to another. */
record Replica(MovementServer source, MovementServer target) {
    private static final String PAGE = "replication";
    private static final String NAME = "dr";

    /** Configuration of a source, whose target is at this port. */
    static String configuration(Path folder, int targetPort) throws IOException {
        Path targets =
                MovementServer.privateFile(
                        folder.resolve("targets.toml"),
                        "[" + NAME + "]\nurl = \"http://127.0.0.1:" + targetPort + "\"\n");
        return "[replication]\ntargets-file = \"" + targets + "\"\n";
    }

    private JsonObject ask(String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("name", NAME);
        request.addProperty("to", NAME);
        return source.ask(PAGE, "", request);
    }

    void start() throws InterruptedException {
        var _ = ask("start");
        awaitEqual();
    }

    JsonObject status() {
        JsonArray streams = ask("status").getAsJsonArray("streams");
        return streams.isEmpty() ? new JsonObject() : streams.get(0).getAsJsonObject();
    }

    /** Returns when the replica has all commits. Nothing may be written meanwhile. */
    void awaitEqual() throws InterruptedException {
        MovementServer.await(
                "the replica has all commits",
                MovementRun.LONG,
                () -> {
                    JsonObject status = status();
                    return MovementServer.text(status, "phase").equals("FOLLOWING")
                            && status.get("lagCommits").getAsLong() == 0
                            && status.get("lagSeconds").getAsDouble() == 0;
                });
    }
}
