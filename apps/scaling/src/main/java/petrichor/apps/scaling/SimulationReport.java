package petrichor.apps.scaling;

import java.time.Duration;
import java.util.List;

/**
 * What happened while a trace was replayed.
 *
 * @param samples one per decision
 */
public record SimulationReport(List<Sample> samples, Requests requests, Usage usage) {
    /**
     * The state after a decision.
     *
     * @param at since the start of the trace
     * @param inProgress requests that instances have
     * @param pending requests that wait
     */
    public record Sample(
            Duration at, Decision decision, Instances instances, int inProgress, int pending) {}

    /**
     * @param draining instances that end with their last request
     */
    public record Instances(int ready, int starting, int draining) {}

    /**
     * @param waited requests that had to wait for an instance
     * @param unfinished requests at the end of the simulation
     * @param pending how long all requests waited, those without a wait included
     */
    public record Requests(long arrived, long waited, long unfinished, Latencies pending) {}

    /** Percentiles, in steps of a millisecond up to a minute; of a second beyond it. */
    public record Latencies(Duration p50, Duration p99, Duration max) {}

    /**
     * @param instanceHours from the start of each instance until its end
     * @param instancesMax ready, starting or draining at one time
     * @param starts of instances
     */
    public record Usage(double instanceHours, int instancesMax, long starts) {}

    public SimulationReport {
        samples = List.copyOf(samples);
    }
}
