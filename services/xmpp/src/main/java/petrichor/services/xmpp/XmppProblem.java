package petrichor.services.xmpp;

/** A call that is refused, for a reason that App Engine's SDKs distinguish. */
public final class XmppProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** App Engine's reasons. */
    public enum Reason {
        INVALID_JID,
        NO_BODY,
        INVALID_XML,
        INVALID_TYPE,
        INVALID_SHOW,
        EXCEEDED_MAX_SIZE
    }

    private final Reason reason;

    public XmppProblem(Reason reason, String detail) {
        super(detail, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    public String detail() {
        return String.valueOf(getMessage());
    }
}
