package petrichor.transactions;

/**
 * The request needs a database's sequencer, which is in another server. Nothing was done: whoever
 * knows where that server is carries the request there. No failure that a client is to see.
 */
public final class NotSequencedHere extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotSequencedHere(String database) {
        super("the sequencer of " + database + " is in another server", null, false, false);
    }
}
