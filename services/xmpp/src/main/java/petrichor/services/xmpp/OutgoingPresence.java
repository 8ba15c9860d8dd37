package petrichor.services.xmpp;

import java.util.Optional;

/**
 * A presence that an app sends to one address.
 *
 * @param type of RFC 6121; empty or {@code available} for availability
 * @param show {@code away}, {@code chat}, {@code dnd}, {@code xa} or empty
 * @param sender empty for the address of the app
 */
public record OutgoingPresence(
        String recipient, String type, String show, String status, Optional<String> sender) {}
