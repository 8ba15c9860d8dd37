package petrichor.cloud;

import java.util.Optional;

/**
 * A request for one machine.
 *
 * @param token idempotency key: repeated requests with a token launch one machine
 * @param type name of one of {@link Cloud#types}
 * @param bidMax for spot machines, the price per hour above which the cloud may reclaim it; empty
 *     for the cloud's default
 */
public record LaunchRequest(
        String token, String type, Purchase purchase, Optional<Money> bidMax, LeaseTag tag) {
    public LaunchRequest {
        if (!token.matches("[A-Za-z0-9-]{8,64}")) {
            throw new IllegalArgumentException("invalid token: '" + token + "'");
        }
        if (bidMax.isPresent() && purchase != Purchase.SPOT) {
            throw new IllegalArgumentException("only spot machines have a bid");
        }
    }

    public static LaunchRequest onDemand(String token, String type, LeaseTag tag) {
        return new LaunchRequest(token, type, Purchase.ON_DEMAND, Optional.empty(), tag);
    }
}
