package petrichor.jobs.pact.compiler;

/**
 * What a way of doing something costs, summed over all subtasks.
 *
 * @param networkBytes bytes that go from one subtask to another
 * @param diskBytes bytes written and read where memory does not suffice
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
