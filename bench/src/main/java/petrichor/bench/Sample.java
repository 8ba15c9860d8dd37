package petrichor.bench;

/**
 * What one round of one contender gave.
 *
 * @param perSecond operations a second
 * @param p50Micros median latency of one operation
 * @param p99Micros 99th percentile of the latency
 */
public record Sample(double perSecond, double p50Micros, double p99Micros) {}
