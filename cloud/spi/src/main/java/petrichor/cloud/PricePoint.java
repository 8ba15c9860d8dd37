package petrichor.cloud;

import java.time.Instant;

/** From this moment on a spot machine costs this much per hour. */
public record PricePoint(Instant from, Money pricePerHour) {}
