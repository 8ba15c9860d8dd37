package petrichor.bench.movement;

import com.google.gson.JsonObject;

/**
 * The migration of a database to the store {@code other}.
 *
 * @param database of the project of the samples; empty for the default one
 */
record Migration(MovementServer server, String database) {
    static final String COPY = "COPY";
    static final String READY = "READY";
    static final String OTHER = "other";

    private static final String PAGE = "migration";

    JsonObject ask(String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("to", OTHER);
        return server.ask(PAGE, database, request);
    }

    void start() {
        var _ = ask("start");
    }

    JsonObject status() {
        return ask("status");
    }

    /** Empty without a migration. */
    String phase() {
        return MovementServer.text(status(), "phase");
    }

    void awaitPhase(String wanted) throws InterruptedException {
        MovementServer.await(wanted, MovementRun.LONG, () -> phase().equals(wanted));
    }

    /** Ends it before a switch, and removes the copy. */
    void cancel() throws InterruptedException {
        end("cancel");
    }

    /** Returns when the rows in the store that follows are removed. */
    void end(String action) throws InterruptedException {
        var _ = ask(action);
        MovementServer.await(action, MovementRun.LONG, () -> phase().isEmpty());
    }
}
