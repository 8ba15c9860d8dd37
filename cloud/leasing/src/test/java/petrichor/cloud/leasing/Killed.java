package petrichor.cloud.leasing;

/** The process ends here and now; nobody catches it but the test. */
final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
        super("killed", null, false, false);
    }
}
