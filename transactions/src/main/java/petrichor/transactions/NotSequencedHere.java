package petrichor.transactions;

import petrichor.base.NotOwner;

/**
 * The request needs the sequencer of a database, which runs in another server. Nothing was done:
 * the routing layer forwards the request to that server. Clients never see this failure.
 */
public final class NotSequencedHere extends NotOwner {
    private static final long serialVersionUID = 1L;

    public NotSequencedHere(String database) {
        super("the sequencer of " + database + " is in another server");
    }
}
