package petrichor.cloud.leasing;

/** Ends the simulated process; only the test catches it. */
final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
        super("killed", null, false, false);
    }
}
