package petrichor.services.images;

/** A request that cannot be executed, for a reason that App Engine's SDKs distinguish. */
public final class ImageProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** App Engine's reasons. */
    public enum Reason {
        BAD_TRANSFORM,
        NOT_AN_IMAGE,
        BAD_IMAGE,
        TOO_LARGE
    }

    private final Reason reason;

    public ImageProblem(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    /** For input on which a library failed. */
    ImageProblem(Reason reason, String detail, Throwable cause) {
        super(detail, cause, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }
}
