package petrichor.cloud;

import java.time.Instant;

/** Announces that the cloud will reclaim a machine. */
public record InterruptionNotice(String instance, Instant endsAt, String reason) {}
