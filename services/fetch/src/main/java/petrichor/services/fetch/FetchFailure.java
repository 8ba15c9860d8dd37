package petrichor.services.fetch;

import petrichor.services.fetch.FetchResult.Failed;
import petrichor.services.fetch.FetchResult.Reason;

/** Ends a fetch early; becomes {@link Failed} at {@link UrlFetcher}. */
final class FetchFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final String detail;

    FetchFailure(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
        this.detail = detail;
    }

    Failed toResult() {
        return new Failed(reason, detail);
    }
}
