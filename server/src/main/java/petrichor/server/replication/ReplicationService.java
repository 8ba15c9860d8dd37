package petrichor.server.replication;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.movement.replication.ReplicatedDatabase;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.rpc.OwnerCalls;
import petrichor.rpc.Rpc;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.transactions.NotSequencedHere;

/** Executes requests of replications at the owners of the databases. Thread-safe. */
public final class ReplicationService implements ReplicationOwner {
    /** An index may have to be built. */
    private static final long CALL_MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final OwnerCalls.Method<ReplicationRequest, ReplicationResponse> METHOD =
            new OwnerCalls.Method<>(
                    "petrichor.rpc.v1.Replication",
                    ReplicationRequest.parser(),
                    ReplicationResponse.parser(),
                    ReplicationRequest::getDatabase,
                    CALL_MAX_NANOS);

    private final Supplier<EntityDatabases> databases;
    private final OwnerCalls<ReplicationRequest, ReplicationResponse> calls;

    /**
     * @param databases those that this server owns
     */
    public ReplicationService(Supplier<EntityDatabases> databases, Rpc rpc) {
        this.databases = databases;
        this.calls = new OwnerCalls<>(rpc, METHOD, (request, _) -> executed(request));
    }

    @Override
    public ReplicationResponse ask(ReplicationRequest request) {
        return calls.ask(request);
    }

    private ReplicationResponse executed(ReplicationRequest request) {
        String name = request.getDatabase();
        int slash = name.indexOf('/');
        EntityDatabase database =
                slash < 0
                        ? databases.get().open(name, "")
                        : databases.get().open(name.substring(0, slash), name.substring(slash + 1));
        if (!database.rows().sequencedHere()) {
            throw new NotSequencedHere(name);
        }
        return new ReplicatedDatabase(database).ask(request);
    }
}
