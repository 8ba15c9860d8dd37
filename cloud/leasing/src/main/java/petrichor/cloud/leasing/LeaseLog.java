package petrichor.cloud.leasing;

import java.util.List;

/** The log of all changes to leases, in order. Confined to one thread. */
public interface LeaseLog extends AutoCloseable {
    /** All lines ever added, except those of leases that ended long ago. */
    List<LeaseLine> lines();

    /** Adds a line; it is durable when the call returns. */
    void add(LeaseLine line);

    @Override
    void close();
}
