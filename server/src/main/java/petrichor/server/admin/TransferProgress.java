package petrichor.server.admin;

import com.google.datastore.admin.v1.Progress;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** How far an export or import has come, and whether it is to stop. Safe for any thread. */
final class TransferProgress {
    /** Why one that has not ended is to stop. */
    enum Stop {
        CANCELLED,
        SERVER_STOPS
    }

    private record Figures(
            long entities, long entitiesEstimated, long bytes, long bytesEstimated) {}

    private volatile Figures figures = new Figures(0, 0, 0, 0);
    private volatile @Nullable Stop stop;

    void stop(Stop why) {
        stop = why;
    }

    @Nullable Stop stopped() {
        return stop;
    }

    /** ABORTED once it is to stop. */
    void check() {
        if (stop != null) {
            throw PetrichorException.of(ErrorCode.ABORTED, "the operation was asked to stop");
        }
    }

    /** An estimate that is not known is 0, as the API has it. */
    void moved(long entities, long entitiesEstimated, long bytes, long bytesEstimated) {
        figures =
                new Figures(
                        entities,
                        Math.max(0, entitiesEstimated),
                        bytes,
                        Math.max(0, bytesEstimated));
    }

    Progress entities() {
        Figures now = figures;
        return progress(now.entities(), now.entitiesEstimated());
    }

    Progress bytes() {
        Figures now = figures;
        return progress(now.bytes(), now.bytesEstimated());
    }

    private static Progress progress(long completed, long estimated) {
        return Progress.newBuilder()
                .setWorkCompleted(completed)
                .setWorkEstimated(estimated)
                .build();
    }
}
