package petrichor.server;

import io.grpc.ServerServiceDefinition;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import petrichor.frontends.http.Page;
import petrichor.frontends.tuples.TuplesFrontEnd;
import petrichor.rpc.Rpc;
import petrichor.transactions.Databases;
import petrichor.transactions.scheduling.SystemScheduler;
import petrichor.tuples.TupleStores;

/** Collections of tuples: their front end, and the changes of their placements. Thread-safe. */
final class ServedTuples implements AutoCloseable {
    private final SystemScheduler scheduler = new SystemScheduler();
    private final TupleStores stores;
    private final TuplesFrontEnd frontEnd;

    /**
     * @param ownedElsewhere whether another server is known to own a database
     */
    ServedTuples(Supplier<Databases> databases, Predicate<String> ownedElsewhere, Rpc rpc) {
        this.stores = new TupleStores(databases, ownedElsewhere, scheduler, new SecureRandom());
        this.frontEnd = new TuplesFrontEnd(stores, rpc);
    }

    List<Page> pages() {
        return frontEnd.pages();
    }

    List<ServerServiceDefinition> services() {
        return frontEnd.services();
    }

    /** Begins work that no request asks for. */
    void start() {
        stores.start();
    }

    @Override
    public void close() {
        stores.close();
        scheduler.close();
    }
}
