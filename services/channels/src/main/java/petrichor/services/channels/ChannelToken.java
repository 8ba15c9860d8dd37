package petrichor.services.channels;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The content of a valid token: the right to receive the messages of one client.
 *
 * @param project the app
 * @param clientId the app's name of the client
 * @param expiresMicros end of its validity, microseconds since 1970
 */
public record ChannelToken(String project, String clientId, long expiresMicros) {
    /** Neither a project nor a number contains it; a client's id, which comes last, may. */
    private static final String SEPARATOR = "\n";

    private static final int PARTS = 3;

    byte[] encode() {
        return (project + SEPARATOR + expiresMicros + SEPARATOR + clientId)
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Empty if no token of ours has this content. */
    static Optional<ChannelToken> decode(byte[] content) {
        String[] parts = new String(content, StandardCharsets.UTF_8).split(SEPARATOR, PARTS);
        if (parts.length != PARTS) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ChannelToken(parts[0], parts[2], Long.parseLong(parts[1])));
        } catch (NumberFormatException none) {
            return Optional.empty();
        }
    }
}
