package petrichor.server.admin;

import com.google.datastore.admin.v1.Progress;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Progress of an export or import, and whether it should stop. Thread-safe. */
final class TransferProgress {
    /** The reason to stop a running operation. */
    enum Stop {
        CANCELLED,
        SERVER_STOPS
    }

    private record Counts(long entities, long entitiesEstimated, long bytes, long bytesEstimated) {}

    private volatile Counts counts = new Counts(0, 0, 0, 0);
    private volatile @Nullable Stop stop;

    void stop(Stop why) {
        stop = why;
    }

    @Nullable Stop stopped() {
        return stop;
    }

    /** ABORTED if the operation should stop. */
    void check() {
        if (stop != null) {
            throw PetrichorException.of(ErrorCode.ABORTED, "the operation was asked to stop");
        }
    }

    /** An unknown estimate is 0, as in the API. */
    void moved(long entities, long entitiesEstimated, long bytes, long bytesEstimated) {
        counts =
                new Counts(
                        entities,
                        Math.max(0, entitiesEstimated),
                        bytes,
                        Math.max(0, bytesEstimated));
    }

    Progress entities() {
        Counts now = counts;
        return progress(now.entities(), now.entitiesEstimated());
    }

    Progress bytes() {
        Counts now = counts;
        return progress(now.bytes(), now.bytesEstimated());
    }

    private static Progress progress(long completed, long estimated) {
        return Progress.newBuilder()
                .setWorkCompleted(completed)
                .setWorkEstimated(estimated)
                .build();
    }
}
