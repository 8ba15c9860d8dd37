package petrichor.entities;

/** What the names of namespaces mean. Stateless. */
final class Namespaces {
    /** Namespaces with this prefix take no part in transactions. */
    private static final String NOTRANS = "notrans";

    private Namespaces() {}

    /**
     * Whether entities of this namespace are read and written outside of transactions, also by
     * requests that name one. Such requests work, but nothing is isolated.
     */
    static boolean withoutTransactions(String namespace) {
        return namespace.startsWith(NOTRANS);
    }
}
