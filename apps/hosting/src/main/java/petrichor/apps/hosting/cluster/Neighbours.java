package petrichor.apps.hosting.cluster;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The other servers of the cluster. Thread-safe; does not block. */
public interface Neighbours {
    /**
     * @param id of its membership, never reused
     * @param address for people
     */
    record Neighbour(String id, String address) {}

    /** This server; empty before it has joined the cluster. */
    Optional<Neighbour> self();

    /** The members of the cluster without this server, as last seen. */
    List<Neighbour> others();

    /** The encoded {@link ServerReading} of another server. */
    CompletableFuture<byte[]> ask(Neighbour other);
}
