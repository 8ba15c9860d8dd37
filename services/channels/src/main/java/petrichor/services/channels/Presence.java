package petrichor.services.channels;

/** Reports to apps which of their clients are connected. Thread-safe. */
public interface Presence {
    /** For apps that need no reports. */
    Presence NONE = (_, _, _) -> {};

    /**
     * Sends one report. May block for as long as the app takes; a report that the app does not
     * accept is not repeated. Reports about one client arrive one after the other.
     *
     * @param connected false if the client has disconnected
     */
    void report(String project, String clientId, boolean connected);
}
