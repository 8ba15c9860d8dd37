package petrichor.coordination.testkit;

import petrichor.coordination.Ledger;

/** Where the kit gets connections to one ledger, empty at first. */
public interface LedgerUnderTest extends AutoCloseable {
    /** As another process would connect. */
    Ledger connect();

    @Override
    void close();
}
