package petrichor.services.xmpp;

import java.util.Optional;

/**
 * A stanza for an app.
 *
 * @param from address of the sender, with its resource
 * @param to address of the app
 * @param xml the complete stanza
 */
public record IncomingStanza(Kind kind, String from, String to, Content content, String xml) {
    /** Names as in App Engine's paths. */
    public enum Kind {
        MESSAGE("message/chat"),
        AVAILABLE("presence/available"),
        UNAVAILABLE("presence/unavailable"),
        SUBSCRIBE("subscription/subscribe"),
        SUBSCRIBED("subscription/subscribed"),
        UNSUBSCRIBE("subscription/unsubscribe"),
        UNSUBSCRIBED("subscription/unsubscribed"),
        ERROR("error");

        private final String path;

        Kind(String path) {
            this.path = path;
        }

        /** Part of the URL under {@code /_ah/xmpp/}. */
        public String path() {
            return path;
        }
    }

    /**
     * @param body of messages
     * @param show of presences
     * @param status of presences
     */
    public record Content(Optional<String> body, Optional<String> show, Optional<String> status) {
        static Content none() {
            return new Content(Optional.empty(), Optional.empty(), Optional.empty());
        }
    }

    /** Hands stanzas to apps. Blocks; thread-safe. */
    public interface Delivery {
        /** Whether the app has accepted it. */
        boolean deliver(String project, IncomingStanza stanza);
    }
}
