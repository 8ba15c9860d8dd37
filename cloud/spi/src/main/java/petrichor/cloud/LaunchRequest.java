package petrichor.cloud;

import java.util.Optional;

/**
 * One machine, please.
 *
 * @param token the same token gives the same machine, however often it is sent
 * @param type a name that {@link Cloud#types} has
 * @param bidMax for spot machines, at which price per hour it may be taken away; the cloud's own
 *     default if empty
 */
public record LaunchRequest(
        String token, String type, Purchase purchase, Optional<Money> bidMax, LeaseTag tag) {
    public LaunchRequest {
        if (!token.matches("[A-Za-z0-9-]{8,64}")) {
            throw new IllegalArgumentException("invalid token: '" + token + "'");
        }
        if (bidMax.isPresent() && purchase != Purchase.SPOT) {
            throw new IllegalArgumentException("only spot machines take a bid");
        }
    }

    public static LaunchRequest onDemand(String token, String type, LeaseTag tag) {
        return new LaunchRequest(token, type, Purchase.ON_DEMAND, Optional.empty(), tag);
    }
}
