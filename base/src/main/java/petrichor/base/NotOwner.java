package petrichor.base;

/**
 * The request must be executed by the owner of its database, which is another server. Nothing was
 * done: the rpc layer forwards the request to the owner, so that clients never see this failure.
 */
public class NotOwner extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param text for logs
     */
    public NotOwner(String text) {
        super(text, null, false, false);
    }
}
