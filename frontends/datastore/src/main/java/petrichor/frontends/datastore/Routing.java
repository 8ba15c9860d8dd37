package petrichor.frontends.datastore;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import petrichor.base.Cancellation;

/** Decides which server carries out what needs a database's sequencer. Safe for any thread. */
public interface Routing {
    /** A server that is alone does everything itself. */
    Routing HERE =
            new Routing() {
                @Override
                public CompletableFuture<byte[]> carryOut(
                        Request request, Supplier<CompletableFuture<byte[]>> here) {
                    return here.get();
                }

                @Override
                public boolean ownerReadsCheaper(String database) {
                    return false;
                }
            };

    /**
     * A call of the API.
     *
     * @param database as {@link petrichor.entities.EntityDatabases#name} has it
     * @param method gRPC's full name of it
     * @param message encoded; asked for only if the call goes elsewhere
     * @param forwarded another server sent it here: it must not be sent on
     * @param cancellation of the client's request; ends the search for an owner and the owner's
     *     work
     */
    record Request(
            String database,
            String method,
            Supplier<byte[]> message,
            boolean forwarded,
            Cancellation cancellation) {}

    /**
     * Has the call carried out. Does not wait and does not throw; every failure is in the future,
     * {@link petrichor.transactions.NotSequencedHere} for one that was forwarded to the wrong
     * server.
     *
     * @param here carries it out in this server; may be used again if that ends with {@link
     *     petrichor.transactions.NotSequencedHere}
     */
    CompletableFuture<byte[]> carryOut(Request request, Supplier<CompletableFuture<byte[]>> here);

    /**
     * Whether a read of a few rows is better sent on than done here: another server owns the
     * database and has not much to do for us. It must be asked for a version anyway, and may have
     * the rows in memory.
     */
    boolean ownerReadsCheaper(String database);
}
