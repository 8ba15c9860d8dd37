package petrichor.bench.drivers;

import java.util.Set;
import petrichor.kv.StoreUrl;

/**
 * The service interface of bare drivers. Implementations need the classes of the drivers, which
 * only the stores' plugins have: their loader delegates to the plugin's.
 */
public interface RawRowsProvider {
    /** The schemes of the addresses that it opens. */
    Set<String> schemes();

    /**
     * Connects with the store's own address. The store's plugin must have opened the store before:
     * it creates the keyspace, namespace or schema, and refuses a server that loses acknowledged
     * writes.
     *
     * <p>INVALID_ARGUMENT if the address has another scheme or enables TLS.
     */
    RawRows open(StoreUrl url);
}
