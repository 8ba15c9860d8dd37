package petrichor.bench.cloud;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Samples this process' processor load over time. Closing it ends the sampling. */
final class LoadWatch implements AutoCloseable {
    private final OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("load").daemon().factory());
    private final List<Sample> samples = new CopyOnWriteArrayList<>();
    private final long started = System.nanoTime();

    /**
     * @param share of all cores of this machine, from 0 to 1
     */
    record Sample(Duration at, double share) {}

    private LoadWatch() {}

    static LoadWatch start(Duration every) {
        LoadWatch watch = new LoadWatch();
        var _ =
                watch.clock.scheduleAtFixedRate(
                        watch::observe, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
        return watch;
    }

    private void observe() {
        samples.add(new Sample(elapsed(), Math.max(0, system.getProcessCpuLoad())));
    }

    Duration elapsed() {
        return Duration.ofNanos(System.nanoTime() - started);
    }

    List<Sample> samples() {
        return List.copyOf(samples);
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
