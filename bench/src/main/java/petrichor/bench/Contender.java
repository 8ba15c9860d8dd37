package petrichor.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A system under test: runs for a while and returns its throughput.
 *
 * @param name in tables, e.g. {@code petrichor} or {@code ceiling}
 * @param round runs once for about the given time
 * @param cpu processor time that its process has used so far; null if that is unknown
 */
public record Contender(String name, Round round, @Nullable Supplier<Duration> cpu) {
    public Contender(String name, Round round) {
        this(name, round, null);
    }

    /** One measured run. */
    @FunctionalInterface
    public interface Round {
        Sample run(Duration length) throws Exception;
    }

    /** Runs for about the given time and adds the processor time per operation. */
    Sample measure(Duration length) throws Exception {
        if (cpu == null) {
            return round.run(length);
        }
        Duration before = cpu.get();
        long began = System.nanoTime();
        Sample sample = round.run(length);
        double operations = sample.perSecond() * (System.nanoTime() - began) / 1e9;
        return sample.withCpuMicros(cpu.get().minus(before).toNanos() / 1e3 / operations);
    }

    /** Processor time of this process, for contenders that run in it. */
    static Duration ownCpu() {
        return Duration.ofNanos(
                ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                        .getProcessCpuTime());
    }
}
