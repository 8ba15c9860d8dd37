package petrichor.services.channels;

/** A request that is refused, for a reason that App Engine's SDKs distinguish. */
public final class ChannelProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** App Engine's reasons. */
    public enum Reason {
        INVALID_CLIENT_ID,
        BAD_MESSAGE,
        INVALID_DURATION
    }

    private final Reason reason;

    ChannelProblem(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    /** For the developer of the app. */
    public String detail() {
        return String.valueOf(getMessage());
    }
}
