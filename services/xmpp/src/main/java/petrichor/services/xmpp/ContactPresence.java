package petrichor.services.xmpp;

/** What an app knows of an address. */
public sealed interface ContactPresence {
    /** The text is not an address. */
    record Invalid() implements ContactPresence {}

    /** Offline, or has not accepted an invitation of the app. */
    record Unavailable() implements ContactPresence {}

    record Available(Show show) implements ContactPresence {}

    /** Of RFC 6121, section 4.7.2.1. */
    enum Show {
        NORMAL,
        AWAY,
        DO_NOT_DISTURB,
        CHAT,
        EXTENDED_AWAY
    }
}
