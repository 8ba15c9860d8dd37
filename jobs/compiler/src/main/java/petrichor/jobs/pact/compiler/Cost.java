package petrichor.jobs.pact.compiler;

/**
 * An estimated cost, summed over all subtasks.
 *
 * @param networkBytes bytes sent between subtasks
 * @param diskBytes bytes of spilled data, written and read
 * @param cpuNanos work on records
 */
public record Cost(double networkBytes, double diskBytes, double cpuNanos) {
    public static final Cost NONE = new Cost(0, 0, 0);

    public Cost plus(Cost other) {
        return new Cost(
                networkBytes + other.networkBytes,
                diskBytes + other.diskBytes,
                cpuNanos + other.cpuNanos);
    }

    static Cost network(double bytes) {
        return new Cost(bytes, 0, 0);
    }

    static Cost cpu(double nanos) {
        return new Cost(0, 0, nanos);
    }
}
