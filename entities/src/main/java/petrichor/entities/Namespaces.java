package petrichor.entities;

/** Conventions for namespace names. Stateless. */
final class Namespaces {
    /** Namespaces with this prefix do not take part in transactions. */
    private static final String NOTRANS = "notrans";

    private Namespaces() {}

    /**
     * Whether entities of this namespace are read and written outside transactions, even by
     * requests that name one. Such requests succeed, but without isolation.
     */
    static boolean withoutTransactions(String namespace) {
        return namespace.startsWith(NOTRANS);
    }
}
