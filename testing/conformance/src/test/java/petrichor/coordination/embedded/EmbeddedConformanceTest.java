package petrichor.coordination.embedded;

import petrichor.coordination.Ledger;
import petrichor.coordination.testkit.LeaseConformance;
import petrichor.coordination.testkit.LedgerConformance;
import petrichor.coordination.testkit.LedgerUnderTest;

final class EmbeddedConformanceTest implements LedgerConformance, LeaseConformance {
    @Override
    public LedgerUnderTest ledger() {
        EmbeddedLedger ledger = new EmbeddedLedger();
        return new LedgerUnderTest() {
            @Override
            public Ledger connect() {
                return ledger;
            }

            @Override
            public void close() {}
        };
    }
}
