package petrichor.coordination.testkit;

import petrichor.coordination.Ledger;

/** Opens connections to one ledger, which is empty at first. */
public interface LedgerUnderTest extends AutoCloseable {
    /** Connects like another process. */
    Ledger connect();

    @Override
    void close();
}
