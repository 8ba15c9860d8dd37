package petrichor.kv.dynamodb;

import java.time.Duration;
import petrichor.kv.StoreFailures;

/** Waits before a retry. */
final class RetryPauses {
    private RetryPauses() {}

    static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw StoreFailures.unreachable("DynamoDB", interrupted);
        }
    }
}
