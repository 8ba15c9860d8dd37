package petrichor.cloud.leasing;

import java.util.List;

/** What was done with leases, in order. Used by one thread. */
public interface LeaseLog extends AutoCloseable {
    /** All lines that were ever added, but for leases that ended long ago. */
    List<LeaseLine> lines();

    /** Durable when it returns. */
    void add(LeaseLine line);

    @Override
    void close();
}
