package petrichor.server.doctor;

/**
 * What one check found.
 *
 * @param check its name, in scripts and bundles
 * @param what was found, on one line
 * @param remedy what to do; empty if all is well
 */
public record Finding(String check, Status status, String what, String remedy) {
    public enum Status {
        OK,
        /** It works, and will not for ever or not under load. */
        WARNING,
        /** A server would not start, or would not serve. */
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
