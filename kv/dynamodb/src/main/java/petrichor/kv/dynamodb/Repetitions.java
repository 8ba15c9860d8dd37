package petrichor.kv.dynamodb;

import java.util.concurrent.atomic.LongAdder;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttribute;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;

/** Counts the SDK's retries. Thread-safe. */
final class Repetitions implements ExecutionInterceptor {
    private static final ExecutionAttribute<Boolean> SENT =
            new ExecutionAttribute<>("petrichor.Sent");

    private final LongAdder count = new LongAdder();

    long count() {
        return count.sum();
    }

    @Override
    public void beforeTransmission(
            Context.BeforeTransmission attempt, ExecutionAttributes request) {
        if (Boolean.TRUE.equals(request.getAttribute(SENT))) {
            count.increment();
        }
        request.putAttribute(SENT, true);
    }
}
