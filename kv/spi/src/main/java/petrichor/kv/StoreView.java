package petrichor.kv;

/**
 * A frozen view of the whole store at one moment. Uses resources of the store until it is closed.
 */
public interface StoreView extends Reads, AutoCloseable {
    @Override
    void close();
}
