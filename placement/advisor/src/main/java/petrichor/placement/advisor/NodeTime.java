package petrichor.placement.advisor;

/**
 * How long nodes work: what makes messages, rows and bytes comparable. Microseconds.
 *
 * @param requestMicros for a request and its response, without its rows
 * @param readMicros for a row that is read
 * @param writeMicros for a row that is written
 * @param kibibyteMicros for 1,024 bytes that are read or written
 */
public record NodeTime(
        double requestMicros, double readMicros, double writeMicros, double kibibyteMicros) {
    private static final double KIBIBYTE = 1_024;

    /** As the simulator of social networks assumes. */
    public static final NodeTime DEFAULT = new NodeTime(50, 10, 20, 5);

    /** The time of all nodes for an operation. */
    public double micros(Cost cost) {
        return cost.messages() / 2 * requestMicros
                + cost.rowsRead() * readMicros
                + cost.rowsWritten() * writeMicros
                + (cost.bytesRead() + cost.bytesWritten()) / KIBIBYTE * kibibyteMicros;
    }
}
