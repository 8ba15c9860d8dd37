package petrichor.cloud;

import java.time.Instant;

/** The price per hour of a spot machine from this time on. */
public record PricePoint(Instant from, Money pricePerHour) {}
