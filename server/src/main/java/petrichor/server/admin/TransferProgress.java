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

    private record Figures(
            long entities, long entitiesEstimated, long bytes, long bytesEstimated) {}

    private volatile Figures metrics = new Figures(0, 0, 0, 0);
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
        metrics =
                new Figures(
                        entities,
                        Math.max(0, entitiesEstimated),
                        bytes,
                        Math.max(0, bytesEstimated));
    }

    Progress entities() {
        Figures now = metrics;
        return progress(now.entities(), now.entitiesEstimated());
    }

    Progress bytes() {
        Figures now = metrics;
        return progress(now.bytes(), now.bytesEstimated());
    }

    private static Progress progress(long completed, long estimated) {
        return Progress.newBuilder()
                .setWorkCompleted(completed)
                .setWorkEstimated(estimated)
                .build();
    }
}
