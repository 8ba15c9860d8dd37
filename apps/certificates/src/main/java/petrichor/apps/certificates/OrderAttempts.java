package petrichor.apps.certificates;

import java.time.Instant;

/**
 * Failed orders for a host since its last success.
 *
 * @param failures in a row
 * @param next not before
 */
record OrderAttempts(int failures, String reason, Instant next) {}
