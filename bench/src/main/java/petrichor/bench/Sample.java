package petrichor.bench;

/**
 * The result of one round of one contender.
 *
 * @param perSecond operations per second
 * @param p50Micros median latency of one operation; NaN if it was not measured
 * @param p99Micros 99th percentile of the latency; NaN if it was not measured
 * @param cpuMicros processor time of the contender per operation; NaN if it was not measured
 */
public record Sample(double perSecond, double p50Micros, double p99Micros, double cpuMicros) {
    public Sample(double perSecond, double p50Micros, double p99Micros) {
        this(perSecond, p50Micros, p99Micros, Double.NaN);
    }

    /** Of a single long operation, which is measured by its rate. */
    public static Sample ofRate(double perSecond) {
        return new Sample(perSecond, Double.NaN, Double.NaN);
    }

    Sample withCpuMicros(double micros) {
        return new Sample(perSecond, p50Micros, p99Micros, micros);
    }
}
