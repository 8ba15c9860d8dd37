package petrichor.cloud;

import java.time.Instant;

/** The cloud will take a machine away. */
public record InterruptionNotice(String instance, Instant endsAt, String reason) {}
