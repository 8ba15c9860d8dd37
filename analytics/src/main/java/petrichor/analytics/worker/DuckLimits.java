package petrichor.analytics.worker;

/**
 * @param memoryBytes of all databases together
 * @param diskBytes of each of segments and temporary files
 */
record DuckLimits(long memoryBytes, long diskBytes, int threads) {}
