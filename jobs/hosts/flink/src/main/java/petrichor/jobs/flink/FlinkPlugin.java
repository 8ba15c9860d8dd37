package petrichor.jobs.flink;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.util.TemporaryClassLoaderContext;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.hosted.StageRuntimePlugin;

/** Flink as a backend: an existing cluster, or one inside this process. */
public final class FlinkPlugin implements StageRuntimePlugin {
    /** More than any job on one machine needs; an unused slot costs nothing. */
    private static final int OWN_SLOTS = 64;

    @Override
    public String name() {
        return "flink";
    }

    @Override
    public StageRuntime open(String address, List<Path> jars) {
        // Flink loads its components through the thread's context class loader.
        try (var _ = TemporaryClassLoaderContext.of(FlinkPlugin.class.getClassLoader())) {
            if (address.isEmpty()) {
                return FlinkRuntime.inProcess(1, OWN_SLOTS)
                        .withJars(jars.isEmpty() ? itself() : jars);
            }
            int colon = address.lastIndexOf(':');
            String port = address.substring(colon + 1);
            if (colon <= 0 || !port.matches("[0-9]{1,5}")) {
                throw PetrichorException.invalid(
                        "a Flink cluster is named as flink://HOST:PORT, not flink://{address}",
                        "address",
                        address);
            }
            return FlinkRuntime.at(address.substring(0, colon), Integer.parseInt(port))
                    .withJars(jars);
        }
    }

    /**
     * This plugin's own jar, for jobs without jars: without any jar Flink uses the system class
     * loader, which does not know this plugin; with one it uses a loader that does.
     */
    private static List<Path> itself() {
        try {
            Path jar =
                    Path.of(
                            FlinkPlugin.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            return Files.isRegularFile(jar) ? List.of(jar) : List.of();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
