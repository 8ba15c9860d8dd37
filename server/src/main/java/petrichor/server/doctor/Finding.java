package petrichor.server.doctor;

/**
 * The result of one check.
 *
 * @param check name in scripts and bundles
 * @param what finding, on one line
 * @param remedy recommended action; empty if the check passed
 */
public record Finding(String check, Status status, String what, String remedy) {
    public enum Status {
        OK,
        /** It works now, but may fail later or under load. */
        WARNING,
        /** A server would not start or not serve. */
        FAILED
    }

    public static Finding ok(String check, String what) {
        return new Finding(check, Status.OK, what, "");
    }

    public static Finding warning(String check, String what, String remedy) {
        return new Finding(check, Status.WARNING, what, remedy);
    }

    public static Finding failed(String check, String what, String remedy) {
        return new Finding(check, Status.FAILED, what, remedy);
    }
}
