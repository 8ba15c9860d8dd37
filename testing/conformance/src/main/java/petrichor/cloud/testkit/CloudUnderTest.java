package petrichor.cloud.testkit;

import java.util.function.BooleanSupplier;
import petrichor.cloud.Cloud;

/** Provides the tests with a cloud without machines and without faults. */
public interface CloudUnderTest extends AutoCloseable {
    Cloud cloud();

    /**
     * Opens the cloud as a new process would after the previous one was killed with leased
     * machines.
     */
    Cloud reopen();

    /** Advances the cloud's time until the condition holds; fails after a generous timeout. */
    void until(String what, BooleanSupplier condition);

    /** Terminates the machines that the test left behind. */
    @Override
    void close();
}
