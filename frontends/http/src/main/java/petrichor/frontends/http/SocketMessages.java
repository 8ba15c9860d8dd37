package petrichor.frontends.http;

/**
 * The messages that a page sends over a WebSocket; each piece is one text message in UTF-8. Clients
 * send nothing: a message of theirs closes the WebSocket. Called like {@link Page.Rest}, except for
 * {@link #left}.
 */
public interface SocketMessages extends Page.Rest {
    /**
     * Status and reason with which a WebSocket is closed.
     *
     * @param status of RFC 6455, section 7.4; 4000 to 4999 for applications
     * @param reason at most 123 bytes in UTF-8
     */
    record Close(int status, String reason) {}

    /** The subprotocol to choose if the client offers it. */
    String protocol();

    /** How the WebSocket is closed after the last message. */
    Close end();

    /**
     * The client has closed the WebSocket properly; {@link #get} must return soon. Called on a
     * network thread, and not at all if the connection broke.
     */
    void left();
}
