package petrichor.bench;

/**
 * The result of one round of one contender.
 *
 * @param perSecond operations per second
 * @param p50Micros median latency of one operation
 * @param p99Micros 99th percentile of the latency
 * @param cpuMicros processor time of the contender per operation; NaN if it was not measured
 */
public record Sample(double perSecond, double p50Micros, double p99Micros, double cpuMicros) {
    public Sample(double perSecond, double p50Micros, double p99Micros) {
        this(perSecond, p50Micros, p99Micros, Double.NaN);
    }

    Sample withCpuMicros(double micros) {
        return new Sample(perSecond, p50Micros, p99Micros, micros);
    }
}
