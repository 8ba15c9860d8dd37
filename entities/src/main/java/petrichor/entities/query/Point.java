package petrichor.entities.query;

import petrichor.base.Bytes;

/**
 * A point between the results of a query, as a cursor denotes it.
 *
 * @param position of a result, which may no longer exist
 * @param before whether the point is before that result, otherwise after it
 */
record Point(byte[] position, boolean before) {
    /** Comes before all results. */
    static final Point START = after(new byte[0]);

    static Point after(byte[] position) {
        return new Point(position, false);
    }

    boolean isStart() {
        return position.length == 0;
    }

    /** Whether the result at this position comes after the point. */
    boolean isBefore(byte[] other) {
        int order = Bytes.compare(other, position);
        return order > 0 || (before && order == 0);
    }
}
