package petrichor.jobs.pact.compiler;

import petrichor.jobs.pact.Promises;

/** How records lie over subtasks, and in which order each subtask has them. */
record Properties(Distribution distribution, LocalOrder order) {
    static final Properties NONE = new Properties(Distribution.random(), LocalOrder.NONE);

    /** What is left of the properties of an input after user code that promises this. */
    Properties through(Promises promises, int input) {
        return new Properties(
                distribution.moved(fields -> promises.placesOf(input, fields)),
                order.moved(field -> promises.placeOf(input, field)));
    }

    Properties withoutOrder() {
        return new Properties(distribution, LocalOrder.NONE);
    }
}
