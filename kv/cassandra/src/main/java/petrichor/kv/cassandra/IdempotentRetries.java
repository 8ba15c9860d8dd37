package petrichor.kv.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.retry.RetryDecision;
import com.datastax.oss.driver.api.core.retry.RetryPolicy;
import com.datastax.oss.driver.api.core.retry.RetryVerdict;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;
import com.datastax.oss.driver.api.core.servererrors.WriteType;
import com.datastax.oss.driver.api.core.session.Request;
import java.util.concurrent.atomic.LongAdder;

/**
 * Retry policy: retries idempotent requests, once and on another node, and no others: a retried
 * conditional write would find the row that its first attempt wrote.
 */
public final class IdempotentRetries implements RetryPolicy {
    private static final int RETRIES_MAX = 1;

    private final LongAdder retries = new LongAdder();

    /** Called by the driver. */
    public IdempotentRetries(DriverContext context, String profile) {}

    /** Number of decisions to retry a request. */
    long retries() {
        return retries.sum();
    }

    private RetryVerdict verdict(Request request, int retryCount) {
        RetryDecision decision =
                Boolean.TRUE.equals(request.isIdempotent()) && retryCount < RETRIES_MAX
                        ? RetryDecision.RETRY_NEXT
                        : RetryDecision.RETHROW;
        if (decision == RetryDecision.RETRY_NEXT) {
            retries.increment();
        }
        return () -> decision;
    }

    @Override
    public RetryVerdict onReadTimeoutVerdict(
            Request request,
            ConsistencyLevel consistency,
            int blockFor,
            int received,
            boolean dataPresent,
            int retryCount) {
        return verdict(request, retryCount);
    }

    @Override
    public RetryVerdict onWriteTimeoutVerdict(
            Request request,
            ConsistencyLevel consistency,
            WriteType writeType,
            int blockFor,
            int received,
            int retryCount) {
        return verdict(request, retryCount);
    }

    @Override
    public RetryVerdict onUnavailableVerdict(
            Request request,
            ConsistencyLevel consistency,
            int required,
            int alive,
            int retryCount) {
        return verdict(request, retryCount);
    }

    @Override
    public RetryVerdict onRequestAbortedVerdict(Request request, Throwable error, int retryCount) {
        return verdict(request, retryCount);
    }

    @Override
    public RetryVerdict onErrorResponseVerdict(
            Request request, CoordinatorException error, int retryCount) {
        return verdict(request, retryCount);
    }

    @Override
    @Deprecated
    public RetryDecision onReadTimeout(
            Request request,
            ConsistencyLevel consistency,
            int blockFor,
            int received,
            boolean dataPresent,
            int retryCount) {
        return verdict(request, retryCount).getRetryDecision();
    }

    @Override
    @Deprecated
    public RetryDecision onWriteTimeout(
            Request request,
            ConsistencyLevel consistency,
            WriteType writeType,
            int blockFor,
            int received,
            int retryCount) {
        return verdict(request, retryCount).getRetryDecision();
    }

    @Override
    @Deprecated
    public RetryDecision onUnavailable(
            Request request,
            ConsistencyLevel consistency,
            int required,
            int alive,
            int retryCount) {
        return verdict(request, retryCount).getRetryDecision();
    }

    @Override
    @Deprecated
    public RetryDecision onRequestAborted(Request request, Throwable error, int retryCount) {
        return verdict(request, retryCount).getRetryDecision();
    }

    @Override
    @Deprecated
    public RetryDecision onErrorResponse(
            Request request, CoordinatorException error, int retryCount) {
        return verdict(request, retryCount).getRetryDecision();
    }

    @Override
    public void close() {}
}
