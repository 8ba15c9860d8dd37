package petrichor.services.xmpp;

import java.util.List;
import java.util.Optional;

/**
 * A message that an app sends.
 *
 * @param recipients addresses, which may be invalid
 * @param type of RFC 6121: {@code chat}, {@code normal}, …
 * @param sender empty for the address of the app
 */
public record OutgoingMessage(
        List<String> recipients, Body body, String type, Optional<String> sender) {
    public OutgoingMessage {
        recipients = List.copyOf(recipients);
    }

    /** What recipients get. */
    public sealed interface Body {
        String content();

        record Text(String content) implements Body {}

        /** Elements that become children of the message. */
        record Xml(String content) implements Body {}
    }

    /** What the server said about one recipient. */
    public enum Status {
        /** The server has acknowledged the message. */
        SENT,
        INVALID_ADDRESS,
        /** The server has not acknowledged the message in time. It may have received it. */
        FAILED
    }
}
