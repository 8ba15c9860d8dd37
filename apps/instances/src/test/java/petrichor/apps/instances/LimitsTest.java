package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.apps.instances.TestHost.MEGABYTE;
import static petrichor.apps.instances.TestHost.ended;
import static petrichor.apps.instances.TestHost.failed;
import static petrichor.apps.instances.TestHost.until;
import static petrichor.apps.instances.TestHost.with;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits of one instance, which others do not notice. */
final class LimitsTest {
    @TempDir Path folder;
    private TestHost tested;
    private Instance other;

    @BeforeEach
    void open() throws Exception {
        TestHost.require(
                IsolationFeature.MEMORY_LIMIT,
                IsolationFeature.CPU_LIMIT,
                IsolationFeature.PROCESS_LIMIT);
        tested = new TestHost(folder);
        other = tested.ready(tested.spec("serve"));
    }

    @AfterEach
    void close() throws Exception {
        if (tested != null) {
            assertThat(other.state()).isEqualTo(new InstanceState.Ready());
            assertThat(tested.ask(other, "/ids")).startsWith("[");
            tested.close();
        }
    }

    @Test
    void tooMuchMemoryEndsTheInstance() throws Exception {
        InstanceSpec spec = tested.spec("hog");
        InstanceState.Failed failed =
                failed(tested.start(with(spec, spec.limits().withMemoryBytesMax(64 * MEGABYTE))));
        assertThat(failed.failure()).isEqualTo(InstanceState.Failure.MEMORY_LIMIT);
        assertThat(failed.reason())
                .startsWith("was ended by the kernel at its memory limit of 64 MB");
    }

    @Test
    void temporaryFilesCountAsMemory() throws Exception {
        TestHost.require(IsolationFeature.NAMESPACES);
        InstanceSpec spec = tested.spec("serve");
        Instance instance =
                tested.ready(with(spec, spec.limits().withMemoryBytesMax(64 * MEGABYTE)));
        Thread.ofVirtual().start(() -> fill(instance));
        assertThat(failed(instance).failure()).isEqualTo(InstanceState.Failure.MEMORY_LIMIT);
    }

    private void fill(Instance instance) {
        try {
            tested.ask(instance, "/fill", "path", "/tmp/file", "megabytes", "100");
        } catch (IOException | InterruptedException expected) {
            // It ends instead of answering.
        }
    }

    @Test
    void usageIsMeasured() throws Exception {
        Instance instance = tested.ready(tested.spec("serve"));
        long before = instance.usage().memoryBytes().orElseThrow();
        tested.ask(instance, "/allocate", "megabytes", "40");
        assertThat(instance.usage().memoryBytes().orElseThrow())
                .isBetween(before + 35 * MEGABYTE, 128 * MEGABYTE);
        assertThat(instance.usage().processes().orElseThrow()).isBetween(2L, 20L);
    }

    @Test
    void aForkBombIsBounded() throws Exception {
        String mark = TestHost.mark();
        InstanceSpec spec = tested.spec("bomb", mark);
        InstanceLimits limits = new InstanceLimits(512 * MEGABYTE, 500, 40);
        Instance instance = tested.start(with(spec, limits));
        until(
                "it reaches the limit",
                () -> instance.usage().processes().orElse(0L) == limits.processesMax());
        assertThat(tested.ask(other, "/ids")).startsWith("[");
        instance.kill("enough");
        assertThat(ended(instance)).isEqualTo(new InstanceState.Stopped("enough"));
        assertThat(TestHost.processes("/usr/bin/python3 app.py bomb " + mark)).isEmpty();
    }

    @Test
    void processesAreCounted() throws Exception {
        InstanceSpec spec = tested.spec("serve");
        InstanceLimits limits = new InstanceLimits(128 * MEGABYTE, 1_000, 30);
        Instance instance = tested.ready(with(spec, limits));
        assertThat(Integer.parseInt(tested.ask(instance, "/fork", "count", "100")))
                .isBetween(10, 30);
    }

    @Test
    void processorTimeIsBounded() throws Exception {
        InstanceSpec spec = tested.spec("serve");
        InstanceLimits limits = new InstanceLimits(128 * MEGABYTE, 200, 100);
        Instance instance = tested.ready(with(spec, limits));
        double used = Double.parseDouble(tested.ask(instance, "/burn", "seconds", "2"));
        // 0.4 s, and what was left of the first period.
        assertThat(used).isLessThan(0.8);
    }

    @Test
    void aSmallInstanceStartsWithAWholeCore() throws Exception {
        InstanceSpec spec = tested.spec("busy", "0.5");
        InstanceLimits limits = new InstanceLimits(128 * MEGABYTE, 20, 100);
        long from = System.nanoTime();
        Instance instance = tested.ready(with(spec, limits));
        // With 20 thousandths of a core, half a second takes 25 s.
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(12));
        double used = Double.parseDouble(tested.ask(instance, "/burn", "seconds", "2"));
        assertThat(used).isLessThan(0.4);
    }
}
