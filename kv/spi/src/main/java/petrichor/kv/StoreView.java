package petrichor.kv;

/**
 * The whole store frozen at one moment. Costs the store something until it is closed. Any thread
 * may read while another one closes: a read that comes too late is refused with {@code
 * UNAVAILABLE}, scans begun before go on. Whether tables created or dropped later show here is not
 * said; close views before that.
 */
public interface StoreView extends Reads, AutoCloseable {
    @Override
    void close();
}
