package petrichor.jobs.pact.compiler;

import petrichor.jobs.pact.Promises;

/**
 * The physical properties of a data set: its distribution over subtasks, and the order within each.
 */
record Properties(Distribution distribution, LocalOrder order) {
    static final Properties NONE = new Properties(Distribution.random(), LocalOrder.NONE);

    /** The properties of an input that survive user code with these promises. */
    Properties through(Promises promises, int input) {
        return new Properties(
                distribution.moved(fields -> promises.placesOf(input, fields)),
                order.moved(field -> promises.placeOf(input, field)));
    }

    Properties withoutOrder() {
        return new Properties(distribution, LocalOrder.NONE);
    }
}
