package petrichor.apps.hosting;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import petrichor.apps.instances.Command;
import petrichor.apps.instances.InstanceFiles;
import petrichor.apps.instances.InstanceLifecycle;
import petrichor.apps.instances.InstanceLimits;
import petrichor.apps.instances.InstanceName;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.instances.StartCheck;
import petrichor.apps.instances.StopRequest;
import petrichor.apps.manifest.AppScaling;
import petrichor.apps.manifest.AppYaml;
import petrichor.apps.manifest.InstanceClass;
import petrichor.apps.manifest.Language;
import petrichor.apps.router.table.VersionName;

/** What an instance of a version gets: App Engine's environment, limits and requests. */
final class InstanceSpecs {
    /** Processes and threads of an instance. */
    private static final int PROCESSES_MAX = 512;

    /** Of the memory of an instance; the rest is for threads, code and buffers of a JVM. */
    private static final double HEAP_SHARE = 0.6;

    private final InetSocketAddress api;

    /**
     * @param api where apps call the platform's APIs
     */
    InstanceSpecs(InetSocketAddress api) {
        this.api = api;
    }

    /**
     * @param variables of the app's operator; they replace those of {@code app.yaml}
     * @param readable folders that the command needs beside its code
     * @param group that may read the code
     */
    InstanceSpec of(
            HostedVersion version,
            Map<String, String> variables,
            String id,
            List<Path> readable,
            OptionalInt group) {
        AppYaml yaml = version.manifest().yaml();
        InstanceClass size = yaml.execution().instanceClass();
        return new InstanceSpec(
                new InstanceName(
                        version.name().app(),
                        version.name().service(),
                        version.name().version(),
                        id),
                new Command.Program(version.built().startCommand()),
                new InstanceFiles(version.built().folder(), own(version, readable), group),
                environment(version, variables, id),
                new InstanceLimits(
                        (long) size.memoryMegabytes() << 20, size.cpuMillicores(), PROCESSES_MAX),
                lifecycle(yaml));
    }

    private static List<Path> own(HostedVersion version, List<Path> readable) {
        List<Path> all = new ArrayList<>(readable);
        all.add(version.built().binaries());
        return all;
    }

    private Map<String, String> environment(
            HostedVersion version, Map<String, String> variables, String id) {
        AppYaml.Execution execution = version.manifest().yaml().execution();
        VersionName name = version.name();
        Map<String, String> all = new TreeMap<>(version.built().environment());
        if (execution.runtime().language() == Language.JAVA) {
            // A JVM does not see the memory limit of its instance.
            long heap = Math.round(execution.instanceClass().memoryMegabytes() * HEAP_SHARE);
            all.put("JAVA_TOOL_OPTIONS", "-Xmx" + heap + "m");
        }
        all.putAll(execution.variables());
        all.putAll(variables);
        all.put("GAE_APPLICATION", "s~" + name.app());
        all.put("GAE_ENV", "standard");
        all.put("GAE_SERVICE", name.service());
        all.put("GAE_VERSION", name.version());
        all.put("GAE_INSTANCE", id);
        all.put("GAE_DEPLOYMENT_ID", version.record().sources().substring(0, 16));
        all.put("GAE_RUNTIME", execution.runtime().name());
        all.put("GAE_MEMORY_MB", Integer.toString(execution.instanceClass().memoryMegabytes()));
        all.put("GOOGLE_CLOUD_PROJECT", name.app());
        all.put("SERVER_SOFTWARE", "Petrichor");
        String host = api.getHostString();
        String port = Integer.toString(api.getPort());
        if (execution.appEngineApis()) {
            all.put("API_HOST", host);
            all.put("API_PORT", port);
        } else {
            // With these, App Engine's SDK for Python would look for Datastore v1.
            all.put("DATASTORE_EMULATOR_HOST", host + ":" + port);
            all.put("DATASTORE_PROJECT_ID", name.app());
        }
        all.put("STORAGE_EMULATOR_HOST", "http://" + host + ":" + port);
        List.of("PORT", "HOME", "TMPDIR").forEach(all::remove);
        return all;
    }

    private static InstanceLifecycle lifecycle(AppYaml yaml) {
        if (!(yaml.scaling() instanceof AppScaling.Automatic)) {
            return InstanceLifecycle.DEFAULT
                    .withCheck(new StartCheck.Starting("/_ah/start", Map.of()))
                    .withStopRequest(new StopRequest("/_ah/stop", Map.of()));
        }
        // Servers such as gunicorn listen before the app is loaded: only an answer, with any
        // status, shows that it is.
        return InstanceLifecycle.DEFAULT.withCheck(
                new StartCheck.Answering("/_ah/warmup", Map.of()));
    }
}
