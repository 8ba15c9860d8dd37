package petrichor.cloud.testkit;

import java.util.function.BooleanSupplier;
import petrichor.cloud.Cloud;

/** Where the kit gets a cloud without machines, that makes no faults. */
public interface CloudUnderTest extends AutoCloseable {
    Cloud cloud();

    /** As a process would open it whose forerunner was killed, with all that it had leased. */
    Cloud openAnew();

    /** Lets the cloud's time pass until something is so; an error if it takes far too long. */
    void until(String what, BooleanSupplier condition);

    /** Ends what the test left. */
    @Override
    void close();
}
