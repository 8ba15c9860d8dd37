package petrichor.server.backups;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.movement.backups.DatabaseRows;
import petrichor.movement.backups.RowsOwner;
import petrichor.rpc.OwnerCalls;
import petrichor.rpc.Rpc;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;
import petrichor.transactions.NotSequencedHere;

/** Executes requests of backups and restores at the owners of the databases. Thread-safe. */
public final class RowsService implements RowsOwner {
    /** A batch of a restore may wait for other commits; an index may have to be built. */
    private static final long CALL_MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final OwnerCalls.Method<RowsRequest, RowsResponse> METHOD =
            new OwnerCalls.Method<>(
                    "petrichor.rpc.v1.Rows",
                    RowsRequest.parser(),
                    RowsResponse.parser(),
                    RowsRequest::getDatabase,
                    CALL_MAX_NANOS);

    private final Supplier<EntityDatabases> databases;
    private final OwnerCalls<RowsRequest, RowsResponse> calls;

    /**
     * @param databases those that this server owns
     */
    public RowsService(Supplier<EntityDatabases> databases, Rpc rpc) {
        this.databases = databases;
        this.calls = new OwnerCalls<>(rpc, METHOD, (request, _) -> executed(request));
    }

    static PetrichorException malformed(InvalidProtocolBufferException cause) {
        return PetrichorException.of(
                ErrorCode.INVALID_ARGUMENT,
                cause,
                "A request for stored rows is malformed; do client and server run the same"
                        + " version?");
    }

    @Override
    public RowsResponse ask(RowsRequest request) {
        return calls.ask(request);
    }

    private RowsResponse executed(RowsRequest request) {
        String name = request.getDatabase();
        int slash = name.indexOf('/');
        EntityDatabase database =
                slash < 0
                        ? databases.get().open(name, "")
                        : databases.get().open(name.substring(0, slash), name.substring(slash + 1));
        if (!database.rows().sequencedHere()) {
            throw new NotSequencedHere(name);
        }
        return new DatabaseRows(database).ask(request);
    }
}
