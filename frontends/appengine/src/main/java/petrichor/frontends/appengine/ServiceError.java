package petrichor.frontends.appengine;

/** An application error: the SDK raises the exception of the API that belongs to the code. */
public final class ServiceError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String detail;

    /**
     * @param code of the API's own enumeration of errors
     * @param detail for the developer of the app
     */
    public ServiceError(int code, String detail) {
        super(detail, null, false, false);
        this.code = code;
        this.detail = detail;
    }

    public int code() {
        return code;
    }

    public String detail() {
        return detail;
    }
}
