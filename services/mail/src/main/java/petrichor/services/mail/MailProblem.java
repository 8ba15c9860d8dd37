package petrichor.services.mail;

/** A message that is refused, for a reason that App Engine's SDKs distinguish. */
public final class MailProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** App Engine's reasons. */
    public enum Reason {
        BAD_REQUEST,
        UNAUTHORIZED_SENDER,
        INVALID_ATTACHMENT_TYPE,
        INVALID_HEADER_NAME,
        INVALID_CONTENT_ID
    }

    private final Reason reason;

    public MailProblem(Reason reason, String detail) {
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
