package petrichor.tables;

/**
 * A span of time as PostgreSQL has it: months, days and microseconds are kept apart, because their
 * ratio varies.
 */
public record TimeInterval(int months, int days, long micros) {}
