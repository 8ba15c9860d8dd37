package petrichor.kv;

/** The whole store frozen at one moment. Costs the store something until it is closed. */
public interface StoreView extends Reads, AutoCloseable {
    @Override
    void close();
}
