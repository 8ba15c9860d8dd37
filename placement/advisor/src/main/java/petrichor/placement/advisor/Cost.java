package petrichor.placement.advisor;

/**
 * Means per operation.
 *
 * @param nodes different nodes that are contacted
 * @param messages requests and responses; a node that is asked in two steps counts twice
 * @param rowsRead by the nodes, also those that the result does not have
 * @param bytesRead of these rows
 * @param rowsWritten of a write, its index entries and positions included
 * @param bytesWritten of these rows
 */
public record Cost(
        double nodes,
        double messages,
        double rowsRead,
        double bytesRead,
        double rowsWritten,
        double bytesWritten) {
    public static final Cost NONE = new Cost(0, 0, 0, 0, 0, 0);

    Cost plus(Cost other) {
        return new Cost(
                nodes + other.nodes,
                messages + other.messages,
                rowsRead + other.rowsRead,
                bytesRead + other.bytesRead,
                rowsWritten + other.rowsWritten,
                bytesWritten + other.bytesWritten);
    }

    Cost times(double factor) {
        return new Cost(
                nodes * factor,
                messages * factor,
                rowsRead * factor,
                bytesRead * factor,
                rowsWritten * factor,
                bytesWritten * factor);
    }
}
