package petrichor.workflows;

/** Ends the whole workflow, without further attempts. */
public final class Abort extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Abort(String reason) {
        super(reason);
    }
}
